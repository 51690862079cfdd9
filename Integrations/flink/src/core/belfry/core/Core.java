package belfry.core;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configuration with its plugins, as libbelfry has it. All tasks of a process share the one of a path.
 *
 * <p>The class belongs into Flink's {@code lib/}: the JVM loads a native library into one class loader only, and each job has one of its
 * own.
 */
public final class Core implements AutoCloseable {
    /** The instant that never comes. */
    public static final long NEVER = Long.MIN_VALUE;

    private static final Map<String, Core> OPEN = new HashMap<>();

    private static final Pattern GENERATION = Pattern.compile("\"generation\":\"([0-9a-f]+)\"");

    private final String path;
    private final long handle;
    private final String generation;
    private int users;

    /** Loads libbelfry from the folder that {@code BELFRY_HOME} names. */
    private static final class Library {
        static final String HOME = load();

        private static String load() {
            String home = home();
            System.load(new File(home, "libbelfry_jni.so").getAbsolutePath());
            return home;
        }
    }

    /** The folder with the command, the plugins and the libraries. */
    static String home() {
        String home = System.getProperty("belfry.home", System.getenv("BELFRY_HOME"));
        if (home == null) {
            throw new IllegalStateException("it is not known where belfry is\n  why: BELFRY_HOME is not set for this process\n"
                    + "  fix: set it to the folder with belfry, libbelfry.so and libbelfry_jni.so, for every TaskManager");
        }
        return home;
    }

    private Core(String path) throws CoreException {
        this.path = path;
        handle = open(bytes(path), bytes(Library.HOME + "/belfry"));
        Matcher found = GENERATION.matcher(provenance());
        generation = found.find() ? found.group(1) : "";
    }

    /** Opens a configuration, or shares the one that is open. Each caller closes it. */
    public static Core at(String configuration) throws CoreException {
        synchronized (OPEN) {
            Core core = OPEN.get(configuration);
            if (core == null) {
                core = new Core(configuration);
                OPEN.put(configuration, core);
            }
            core.users++;
            return core;
        }
    }

    @Override
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            OPEN.remove(path);
            close(handle);
        }
    }

    public Shard shard() throws CoreException {
        return new Shard(handle);
    }

    /** Tells this configuration, with these plugins, from all others. */
    public String generation() {
        return generation;
    }

    /** Which configuration decides, and by which plugins: a JSON object. */
    public String provenance() {
        return text(provenance(handle));
    }

    /** What a record knows, as JSON. */
    public String describe(String subject, byte[] record) throws CoreException {
        return text(describe(handle, bytes(subject), record));
    }

    /** What is to be kept of a subject whose record is erased. */
    public byte[] erase(String subject, byte[] record) throws CoreException {
        return erase(handle, bytes(subject), record);
    }

    /** The same where only the number of the last decision is known. */
    public byte[] remains(String subject, long lastDecision) throws CoreException {
        return remains(handle, bytes(subject), lastDecision);
    }

    /** Why a campaign would or would not be created for a subject, and when, as JSON; texts may be null. */
    public String explain(String subject, byte[] record, String campaign, String region, String trigger, String channel, long at)
            throws CoreException {
        return text(explain(handle, bytes(subject), record, bytes(campaign), bytes(region), bytes(trigger), bytes(channel), at));
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    private static native long open(byte[] configuration, byte[] belfry) throws CoreException;

    private static native void close(long core);

    private static native byte[] provenance(long core);

    private static native byte[] describe(long core, byte[] subject, byte[] record) throws CoreException;

    private static native byte[] erase(long core, byte[] subject, byte[] record) throws CoreException;

    private static native byte[] remains(long core, byte[] subject, long lastDecision) throws CoreException;

    private static native byte[] explain(
            long core, byte[] subject, byte[] record, byte[] campaign, byte[] region, byte[] trigger, byte[] channel, long at)
            throws CoreException;
}
