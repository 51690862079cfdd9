package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * Which bundle decides in a task, and which one follows it: broadcast state, so that a savepoint knows what it needs.
 *
 * <p>One that is announced for a time is opened at once, and takes over behind the tick that passes that time. A tick is a watermark,
 * which Flink keeps in order with the signals, so all tasks change at one place of the stream.
 */
final class Bundles implements AutoCloseable {
    static final MapStateDescriptor<String, String> STATE = new MapStateDescriptor<>("bundles", Types.STRING, Types.STRING);

    /** What the command line named when the job began. */
    private static final String NAMED = "named";
    private static final String CURRENT = "current";
    private static final String GENERATION = "generation";
    private static final String NEXT = "next";
    private static final String NEXT_GENERATION = "next generation";
    private static final String FROM = "from";
    private static final String PASSED = "passed";
    private static final String REPLACED_BY = "replaced by";

    private final BroadcastState<String, String> state;
    private Core current;
    private Core next;
    private long from;

    /**
     * @param isReplaced whether the bundle of the command line goes before the one of the state
     * @param job its id: a restart has the same
     */
    Bundles(BroadcastState<String, String> state, String bundle, boolean isReplaced, String job) throws Exception {
        this.state = state;
        // A restart is told the same as the start: what has replaced once does not do so again, or it would take back what came later.
        String replacement = job + " " + bundle;
        boolean replaces = isReplaced && !replacement.equals(state.get(REPLACED_BY));
        if (replaces || state.get(CURRENT) == null) {
            current = Bundle.open(bundle);
            forgetNext();
            put(Map.of(NAMED, bundle, CURRENT, bundle, GENERATION, current.generation()));
        } else {
            checkIsKnown(bundle);
            // This start may fail and begin again when yet another one has taken over.
            state.put(NAMED, bundle);
            current = open(state.get(CURRENT), state.get(GENERATION));
        }
        if (replaces) {
            state.put(REPLACED_BY, replacement);
        }
        try {
            openNext();
        } catch (Exception e) {
            current.close();
            throw e;
        }
    }

    /** Another one than the state has would be passed over without a word. */
    private void checkIsKnown(String bundle) throws Exception {
        for (String key : new String[] {NAMED, CURRENT, NEXT}) {
            if (bundle.equals(state.get(key))) {
                return;
            }
        }
        throw new CoreException("the job goes on with the bundle '" + state.get(CURRENT) + "', and not with '" + bundle
                + "'\n  why: which bundle decides is in the savepoint, or the checkpoint\n  fix: start with --replace-bundle true, and '"
                + bundle + "' decides from now on; or name the one that is needed in --bundle");
    }

    private void openNext() throws Exception {
        if (state.get(NEXT) != null) {
            next = open(state.get(NEXT), state.get(NEXT_GENERATION));
            from = Long.parseLong(state.get(FROM));
        }
    }

    Core current() {
        return current;
    }

    /** The last tick before the state was taken. A watermark is no part of a checkpoint. */
    long passed() throws Exception {
        String passed = state.get(PASSED);
        return passed == null ? Core.NEVER : Long.parseLong(passed);
    }

    void setPassed(long passed) throws Exception {
        state.put(PASSED, Long.toString(passed));
    }

    /** Opens a bundle that is to take over behind the tick that passes a time; another one that waited is forgotten. */
    void announce(String bundle, String generation, long from) throws Exception {
        Core core = open(bundle, generation);
        forgetNext();
        next = core;
        this.from = from;
        put(Map.of(NEXT, bundle, NEXT_GENERATION, generation, FROM, Long.toString(from)));
    }

    boolean isNextDue(long passed) {
        return next != null && from <= passed;
    }

    /** The next one becomes the current one; the former is returned, and to be closed when it is no longer in use. */
    Core advance() throws Exception {
        Core former = current;
        current = next;
        next = null;
        put(Map.of(CURRENT, state.get(NEXT), GENERATION, state.get(NEXT_GENERATION)));
        forgetNext();
        return former;
    }

    private void forgetNext() throws Exception {
        if (next != null) {
            next.close();
            next = null;
        }
        for (String key : new String[] {NEXT, NEXT_GENERATION, FROM}) {
            state.remove(key);
        }
    }

    private void put(Map<String, String> values) throws Exception {
        state.putAll(new HashMap<>(values));
    }

    /** Opens the bundle of a generation, and no other that lies in the same place. */
    private static Core open(String bundle, String generation) throws Exception {
        Core core = Bundle.open(bundle);
        if (core.generation().equals(generation)) {
            return core;
        }
        String found = core.generation();
        core.close();
        throw new CoreException("'" + bundle + "' is not the bundle that is needed\n  found: generation " + found
                + "\n  expected: generation " + generation + "\n  fix: put the former bundle back there, or start with --replace-bundle true");
    }

    @Override
    public void close() {
        if (next != null) {
            next.close();
        }
        if (current != null) {
            current.close();
        }
    }
}
