package belfry.flink;

import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Commands from the files of a folder, {@code --commands}, also from those that come later; without it there are none.
 *
 * <p>A file is read once, to its end of that moment. Names that begin with {@code .} or {@code _} are left out, for those that are not
 * whole yet.
 */
public final class FileCommands implements CommandSource {
    @Override
    public DataStream<String> open(StreamExecutionEnvironment environment, Settings settings) {
        String folder = settings.optional("commands");
        if (folder == null) {
            // Another kind of source, and so of another name: what a savepoint has of the one is nothing for the other.
            return environment.fromData("").uid("no commands");
        }
        FileSource<String> source = FileSource.forRecordStreamFormat(new TextLineInputFormat(), new Path(folder))
                .setSplitAssigner(SplitsByPath::new)
                .monitorContinuously(Duration.ofMillis(settings.followMillis()))
                .build();
        return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "commands", Types.STRING)
                .uid("commands")
                .setParallelism(1);
    }
}
