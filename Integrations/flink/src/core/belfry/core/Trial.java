package belfry.core;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Opens a configuration in a process of its own, as a worker would: a plugin that crashes or hangs where it is loaded does so there.
 *
 * <p>In Java as well, and not by {@code belfry config check}: what a plugin finds in its process is what it will find in a worker.
 */
public final class Trial {
    private static final long SECONDS = 60;

    /** As {@link #main} ends when it has said why not. */
    private static final int REFUSED = 1;

    private Trial() {}

    /**
     * Returns the generation.
     *
     * @throws CoreException if it cannot be opened, and why
     */
    public static String generation(String configuration) throws CoreException, IOException, InterruptedException {
        Path answer = Files.createTempFile("belfry-trial", null);
        try {
            int status = run(configuration, answer);
            String text = Files.readString(answer);
            if (status == 0) {
                return text;
            }
            throw status == REFUSED && !text.isEmpty() ? new CoreException(text) : failed("the process that opened it ended with status " + status);
        } finally {
            Files.delete(answer);
        }
    }

    private static CoreException failed(String why) {
        return new CoreException("cannot open the configuration\n  why: " + why + ", most likely because of a plugin"
                + "\n  fix: take back what was changed last, and report it to the plugin's author");
    }

    private static int run(String configuration, Path answer) throws CoreException, IOException, InterruptedException {
        // What plugins say, and the JVM's last words, are for the worker's log.
        ProcessBuilder builder = new ProcessBuilder(command(configuration, answer)).inheritIO();
        // Of the worker: an agent may want a port that the worker has.
        Map<String, String> environment = builder.environment();
        List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS").forEach(environment::remove);
        Process process = builder.start();
        try {
            if (process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            throw failed("the process that opened it did not end within " + SECONDS + " s");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static List<String> command(String configuration, Path answer) throws IOException {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash", "-Dbelfry.home=" + Core.home(), "-cp", place(),
                Trial.class.getName(), configuration, answer.toString());
    }

    /** The archive of this class. */
    private static String place() throws IOException {
        try {
            return new File(Trial.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getPath();
        } catch (URISyntaxException e) {
            throw new IOException(e);
        }
    }

    /** Writes the generation of a configuration, or why it cannot be opened, into a file. */
    public static void main(String[] arguments) throws Exception {
        Path answer = Path.of(arguments[1]);
        int status = 0;
        try (Core core = Core.at(arguments[0])) {
            core.shard().close();
            Files.writeString(answer, core.generation());
        } catch (CoreException e) {
            Files.writeString(answer, e.getMessage());
            status = REFUSED;
        }
        // A thread of a plugin does not keep the process.
        Runtime.getRuntime().halt(status);
    }
}
