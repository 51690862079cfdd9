package belfry.flink;

import belfry.core.CoreException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;

/**
 * In place of signals, records that another engine has kept: lines of {@code belfry state export --all}, or of the command
 * {@code records}. A {@code clock.advanced} among them is the last tick.
 */
public final class FileRecords implements SignalSource {
    @Override
    public DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings) {
        DataStream<Line> lines = FileSignals.open(environment, settings, "records");
        return lines.flatMap(new Reader()).returns(Line.TYPE).name("read records").uid("read records").setParallelism(lines.getParallelism());
    }

    private static final class Reader implements FlatMapFunction<Line, Line> {
        private static final ObjectMapper MAPPER = new ObjectMapper();
        /** No record has so many. */
        private static final long MOST_DECISIONS = 1L << 62;

        @Override
        public void flatMap(Line line, Collector<Line> out) throws Exception {
            JsonNode node = MAPPER.readTree(new String(line.bytes(), StandardCharsets.UTF_8));
            if (node.hasNonNull("record")) {
                byte[] record = Base64.getDecoder().decode(node.get("record").asText());
                if (record.length == 0) {
                    // Those of a new subject, so ids would come twice.
                    throw new CoreException("line " + line.number() + " has no record\n  why: it was damaged where it was exported"
                            + "\n  fix: 'belfry state verify --repair' there, then export again");
                }
                out.collect(Line.record(node.get("subject").asText(), record));
            } else if (node.has("digest")) {
                out.collect(forgotten(node, line.number()));
            } else {
                out.collect(line);
            }
        }

        /** Without the number, ids that were given would be given again when the subject comes back. */
        private static Line forgotten(JsonNode node, long number) throws CoreException {
            JsonNode decisions = node.path("decisions");
            if (!node.get("digest").asText().matches(RecordLines.SHA256 + "[0-9a-f]{64}")
                    || !decisions.canConvertToLong() || decisions.asLong() < 0 || decisions.asLong() >= MOST_DECISIONS) {
                throw new CoreException("line " + number + " does not say how many decisions a subject has had\n  found: " + node
                        + "\n  expected: {\"digest\":\"sha256:…\",\"decisions\":…} with 64 lower-case hexadecimal digits and a whole number"
                        + "\n  fix: export again");
            }
            String digest = node.get("digest").asText().substring(RecordLines.SHA256.length());
            return Line.forgotten(digest, ForgottenSubjects.bytes(HexFormat.of().parseHex(digest), decisions.asLong()));
        }
    }
}
