package belfry.flink;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Commands from the files of a folder, {@code --commands}, also from those that come later; without it there are none.
 *
 * <p>A file is read once, to its end of that moment; one that is gone when it is read again, after a failure, is left out. Names that begin
 * with {@code .} or {@code _} are left out, too, for those that are not whole yet.
 */
public final class FileCommands implements CommandSource {
    @Override
    public DataStream<String> open(StreamExecutionEnvironment environment, Settings settings) {
        String folder = settings.optional("commands");
        if (folder == null) {
            // Another kind of source, and so of another name: what a savepoint has of the one is nothing for the other.
            return environment.fromData("").uid("no commands");
        }
        FileLines<String> lines = new FileLines<>((line, number, file) -> new String(line, StandardCharsets.UTF_8), Types.STRING, false);
        FileSource<String> source = FileSource.forBulkFileFormat(lines, new Path(folder))
                .setSplitAssigner(SplitsByPath::new)
                .monitorContinuously(Duration.ofMillis(settings.followMillis()))
                .build();
        return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "commands", Types.STRING)
                .uid("commands")
                .setParallelism(1);
    }
}
