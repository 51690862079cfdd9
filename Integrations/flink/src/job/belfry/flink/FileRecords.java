package belfry.flink;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * In place of signals, records that another engine has kept: lines of {@code belfry state export --all}, or of the command
 * {@code records}. A {@code clock.advanced} among them is the last tick.
 */
public final class FileRecords implements SignalSource {
    @Override
    public DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings) {
        DataStream<Line> lines = FileSignals.open(environment, settings, "records");
        return lines.map(new Reader()).returns(Line.TYPE).name("read records").uid("read records").setParallelism(lines.getParallelism());
    }

    private static final class Reader implements MapFunction<Line, Line> {
        private static final ObjectMapper MAPPER = new ObjectMapper();

        @Override
        public Line map(Line line) throws Exception {
            JsonNode node = MAPPER.readTree(new String(line.bytes(), StandardCharsets.UTF_8));
            if (!node.hasNonNull("record")) {
                return line;
            }
            return Line.record(node.get("subject").asText(), Base64.getDecoder().decode(node.get("record").asText()));
        }
    }
}
