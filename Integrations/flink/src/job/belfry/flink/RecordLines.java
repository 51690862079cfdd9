package belfry.flink;

import belfry.core.Core;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Writes what a task keeps as lines that {@code belfry state import} and {@link FileRecords} take, and counts them.
 *
 * <pre>
 * {"type":"clock.advanced","time":"2026-03-02T09:00:00Z"}     the last tick
 * {"digest":"sha256:…","decisions":7}                        what is left of a subject whose record is gone
 * {"subject":"ana","record":"…"}                             a record, in base 64
 * </pre>
 */
final class RecordLines {
    /** What a digest of the lines begins with. */
    static final String SHA256 = "sha256:";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Core core;
    private final Consumer<byte[]> out;
    private final MessageDigest sha = TarArchive.sha256();
    private long records;
    private long digests;

    RecordLines(Core core, Consumer<byte[]> out) {
        this.core = core;
        this.out = out;
    }

    void tick(long time) {
        write("{\"type\":\"clock.advanced\",\"time\":\"" + Instant.ofEpochMilli(time) + "\"}");
    }

    void record(String subject, byte[] record) {
        write("{\"subject\":" + Command.quoted(subject) + ",\"record\":\"" + text(record) + "\"}");
        records++;
    }

    /** A record of which nothing is left but the number of the last decision. */
    void remains(String subject, byte[] record) throws Exception {
        long decisions = MAPPER.readTree(core.describe(subject, record)).required("decisions").asLong();
        remains(sha.digest(subject.getBytes(StandardCharsets.UTF_8)), decisions);
    }

    void remains(byte[] digest, long decisions) {
        write("{\"digest\":\"" + SHA256 + HexFormat.of().formatHex(digest) + "\",\"decisions\":" + decisions + "}");
        digests++;
    }

    private void write(String line) {
        out.accept((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** How many lines of each kind there are, as members of a JSON object. */
    String counts() {
        return "\"records\":" + records + ",\"digests\":" + digests;
    }

    static String text(byte[] record) {
        return Base64.getEncoder().encodeToString(record);
    }
}
