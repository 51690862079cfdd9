package belfry.flink;

import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.filesystem.BucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.SimpleVersionedStringSerializer;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;

/**
 * Writes files below {@code --output}: {@code decisions/generation-…/part-…}, {@code rejects/}, {@code faults/}.
 *
 * <p>Each line is written exactly once; a file is there when the checkpoint that it belongs to is complete.
 */
public final class FileDecisions implements DecisionSink {
    @Override
    public void write(DataStream<Decisions> decisions, Settings settings) {
        Path path = new Path(settings.required("output"), "decisions");
        FileSink<Decisions> sink = FileSink.forBulkFormat(path, LinesWriter.of(Decisions::lines))
                .withBucketAssigner(new ByGeneration())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build();
        decisions.sinkTo(sink).name("decisions").uid("write decisions");
    }

    @Override
    public void write(DataStream<byte[]> lines, String name, Settings settings) {
        Path path = new Path(settings.required("output"), name);
        FileSink<byte[]> sink = FileSink.forBulkFormat(path, LinesWriter.<byte[]>of(lineBytes -> lineBytes))
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build();
        lines.sinkTo(sink).name(name).uid("write " + name);
    }

    /** A folder for each generation, since a line does not say which one made it. */
    private static final class ByGeneration implements BucketAssigner<Decisions, String> {
        @Override
        public String getBucketId(Decisions element, Context context) {
            return "generation-" + element.generation();
        }

        @Override
        public SimpleVersionedSerializer<String> getSerializer() {
            return SimpleVersionedStringSerializer.INSTANCE;
        }
    }
}
