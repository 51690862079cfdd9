package belfry.flink;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * In place of signals, records that another engine has kept: lines of {@code belfry state export --all}, or of the command
 * {@code records}. A {@code clock.advanced} among them is the last tick. A line that is none of these ends the job: who is missing would
 * begin again with ids that were given before.
 */
public final class FileRecords implements SignalSource {
    /** No record has so many. */
    private static final long MOST_DECISIONS = 1L << 62;

    @Override
    public DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings) {
        return FileSignals.open(environment, settings, "records", FileRecords::read);
    }

    private static Line read(byte[] bytes, long number, Path file) throws IOException {
        if (bytes.length == 0) {
            // No signal, and passed over.
            return new Line(bytes, number);
        }
        try {
            return read(bytes, number);
        } catch (IllegalArgumentException e) {
            throw new IOException("line " + number + " of '" + file + "' " + e.getMessage());
        }
    }

    private static Line read(byte[] bytes, long number) {
        JsonNode node = json(bytes);
        if (node.has("digest")) {
            return forgotten(node.path("digest").asText(), node.path("decisions"));
        }
        if (node.path("type").asText().equals("clock.advanced")) {
            return new Line(bytes, number);
        }
        if (!node.path("subject").isTextual() || !node.path("record").isTextual()) {
            throw wrong("is no record", "something else than {\"subject\":…,\"record\":…}",
                    "take lines of 'belfry state export --all', or what a job wrote for the command 'records'");
        }
        return record(node.get("subject").asText(), node.get("record").asText());
    }

    private static JsonNode json(byte[] bytes) {
        try {
            return Command.MAPPER.readTree(new String(bytes, StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw wrong("is no record", e.getOriginalMessage(), "export again, and copy all of it");
        }
    }

    private static Line record(String subject, String text) {
        byte[] record;
        try {
            record = Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw wrong("has no record", "'record' is not in base 64", "export again, and copy all of it");
        }
        if (record.length == 0) {
            // Those of a new subject, so ids would come twice.
            throw wrong("has no record", "nothing, since it was damaged where it was exported", "'belfry state verify --repair' there, then export again");
        }
        return Line.record(subject, record);
    }

    /** Without the number, ids that were given would be given again when the subject comes back. */
    private static Line forgotten(String digest, JsonNode decisions) {
        if (!digest.matches(RecordLines.SHA256 + "[0-9a-f]{64}")
                || !decisions.isIntegralNumber() || !decisions.canConvertToLong() || decisions.asLong() < 0 || decisions.asLong() >= MOST_DECISIONS) {
            throw wrong("does not say how many decisions a subject has had",
                    "something else than {\"digest\":\"sha256:…\",\"decisions\":…} with 64 lower-case hexadecimal digits and a whole number", "export again");
        }
        String hexadecimal = digest.substring(RecordLines.SHA256.length());
        return Line.forgotten(hexadecimal, ForgottenSubjects.bytes(HexFormat.of().parseHex(hexadecimal), decisions.asLong()));
    }

    private static IllegalArgumentException wrong(String what, String found, String fix) {
        return new IllegalArgumentException(what + "\n  found: " + found + "\n  fix: " + fix + "; then begin again with a new job");
    }
}
