package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** Shows, explains and exports what a task knows of a subject. The answers are JSON. */
final class SubjectCommands {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final TaskInfo task;
    private final SubjectRecords records;

    SubjectCommands(TaskInfo task, SubjectRecords records) {
        this.task = task;
        this.records = records;
    }

    /** Whether the subject is one of this task: every task gets every command. */
    boolean isHere(String subject) {
        return task.getIndexOfThisSubtask() == KeyGroupRangeAssignment.assignKeyToParallelOperator(
                subject, task.getMaxNumberOfParallelSubtasks(), task.getNumberOfParallelSubtasks());
    }

    /** Null: the subject has no record. */
    String answer(Command command, Core core) throws Exception {
        byte[] record = records.known(command.subject(), core);
        if (record == null) {
            return null;
        }
        return switch (command.name()) {
            case "show" -> core.describe(command.subject(), record);
            case "export" -> "{\"document\":" + core.describe(command.subject(), record) + ",\"record\":\"" + text(record) + "\"}";
            case "explain" -> explain(command, core, record);
            default -> throw new IllegalStateException(command.name());
        };
    }

    private static String explain(Command command, Core core, byte[] record) throws CoreException {
        return core.explain(
                command.subject(), record, command.text("campaign"), command.text("region"), command.text("trigger"),
                command.text("channel"), command.time("at"));
    }

    /** A record as a line: what {@code belfry state import} reads. */
    static byte[] line(String subject, byte[] record) {
        return ("{\"subject\":" + Command.quoted(subject) + ",\"record\":\"" + text(record) + "\"}\n").getBytes(StandardCharsets.UTF_8);
    }

    /** What stays of a subject who was erased, as a line: a digest of the name, and the number of the last decision. */
    static byte[] remains(String subject, byte[] record, Core core) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(subject.getBytes(StandardCharsets.UTF_8));
        long decisions = MAPPER.readTree(core.describe(subject, record)).required("decisions").asLong();
        return ("{\"digest\":\"sha256:" + HexFormat.of().formatHex(digest) + "\",\"decisions\":" + decisions + "}\n")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** A tick as a line. */
    static byte[] tick(long time) {
        return ("{\"type\":\"clock.advanced\",\"time\":\"" + Instant.ofEpochMilli(time) + "\"}\n").getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] record) {
        return Base64.getEncoder().encodeToString(record);
    }
}
