package belfry.flink;

import belfry.core.CoreException;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Lets commands through that make sense. One for the whole job, so that a bundle that is broken is refused once, before any task has
 * heard of it: tasks that do not agree on what decides must not be. It is opened in a process of its own: a plugin that crashes there would
 * take a worker along with each attempt.
 */
final class CommandGate extends ProcessFunction<String, String> {
    @Override
    public void processElement(String line, Context context, Collector<String> out) throws InterruptedException {
        if (line.isBlank()) {
            return;
        }
        Command command;
        try {
            command = Command.parse(line);
        } catch (IllegalArgumentException e) {
            context.output(BelfryJob.ANSWERS, Command.error(line, e.getMessage()));
            return;
        }
        try {
            out.collect((command.name().equals("bundle") ? checked(command) : command).toString());
        } catch (InterruptedException e) {
            // The job ends, which says nothing of the bundle.
            throw e;
        } catch (Exception e) {
            String why = e instanceof CoreException ? e.getMessage() : e.toString();
            context.output(BelfryJob.ANSWERS, command.error("the bundle is refused, and the one before goes on: " + why));
        }
    }

    /** The command with the generation that every task has to find. */
    private static Command checked(Command command) throws Exception {
        // A process opens the configuration of a path once, so a file that changed would not be seen.
        if (!command.text("bundle").endsWith(".tar")) {
            throw new CoreException("'" + command.text("bundle") + "' is no archive\n  why: its name does not end in .tar"
                    + "\n  fix: make one with 'belfry bundle --output NAME.tar'");
        }
        return command.with("generation", Bundle.tried(command.text("bundle")));
    }
}
