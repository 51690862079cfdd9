package belfry.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Signals from a file or a folder of JSON Lines, {@code --signals}; with {@code --follow} also from files that come later, which have to be
 * whole then.
 */
public final class FileSignals implements SignalSource {
    @Override
    public DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings) {
        return open(environment, settings, "signals", (line, number, file) -> new Line(line, number));
    }

    /** @param name of the option and of the source, by which a savepoint knows it */
    static DataStream<Line> open(
            StreamExecutionEnvironment environment, Settings settings, String name, FileLines.Parser<Line> parser) {
        FileLines<Line> lines = new FileLines<>(parser, Line.TYPE, true);
        FileSource.FileSourceBuilder<Line> builder =
                FileSource.forBulkFileFormat(lines, new Path(settings.required(name)));
        builder.setSplitAssigner(SplitsByPath::new);
        if (settings.optional("follow") != null) {
            builder.monitorContinuously(Duration.ofMillis(settings.followMillis()));
        }
        return environment
                .fromSource(builder.build(), WatermarkStrategy.noWatermarks(), name, Line.TYPE)
                .uid(name)
                .setParallelism(settings.readers());
    }
}
