package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** Shows, explains and exports what a task knows of a subject. The answers are JSON. */
final class SubjectCommands {
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

    /**
     * Null: the subject has no record.
     *
     * @param passed the last tick: what is explained without a time is so at that time, as on the command line
     */
    String answer(Command command, Core core, long passed) throws Exception {
        byte[] record = records.known(command.subject());
        if (record == null) {
            return null;
        }
        return switch (command.name()) {
            case "show" -> core.describe(command.subject(), record);
            case "export" -> "{\"document\":" + core.describe(command.subject(), record) + ",\"record\":\"" + RecordLines.text(record) + "\"}";
            case "explain" -> explain(command, core, record, passed);
            default -> throw new IllegalStateException(command.name());
        };
    }

    private static String explain(Command command, Core core, byte[] record, long passed) throws CoreException {
        long at = command.time("at");
        return core.explain(
                command.subject(), record, command.text("campaign"), command.text("region"), command.text("trigger"),
                command.text("channel"), at == Core.NEVER ? passed : at);
    }
}
