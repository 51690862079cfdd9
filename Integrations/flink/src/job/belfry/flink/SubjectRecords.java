package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import belfry.core.Shard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;

/**
 * The records of a task: all of them in keyed state, those at work in native memory too.
 *
 * <p>They are written behind: a record that changed gets into the state when a checkpoint begins, or when there are too many in memory.
 * Between two checkpoints the state is older than what was decided, which does not show: after a failure, Flink goes back to the
 * checkpoint anyway.
 */
final class SubjectRecords implements AutoCloseable {
    /** The name of the keyed state. */
    static final String STATE = "record";

    private static final byte[] NEW = {};

    private final KeyedStateBackend<String> keys;
    private final ValueState<byte[]> state;
    private final long limit;
    private final CallMarks marks;
    private final ForgottenSubjects forgotten;
    private Core core;
    private Shard shard;
    private String generation;
    private long live;
    private long read;
    private long written;

    SubjectRecords(
            Core core, KeyedStateBackend<String> keys, ValueState<byte[]> state, ForgottenSubjects forgotten, Settings settings)
            throws Exception {
        this.keys = keys;
        this.state = state;
        limit = settings.liveRecords();
        marks = CallMarks.in(settings.optional("marks"));
        this.forgotten = forgotten;
        this.core = core;
        shard = core.shard();
        generation = core.generation();
    }

    /** Decides lines of a subject, and fires its timers. Which key is current afterwards is undefined. */
    byte[] decide(String subject, byte[] signals, long line, long passed, long until) throws Exception {
        byte[] name = subject.getBytes(StandardCharsets.UTF_8);
        if (marks == null) {
            return decide(subject, name, signals, line, passed, until);
        }
        marks.begin(generation, signals == null ? NEW : signals, line);
        try {
            return decide(subject, name, signals, line, passed, until);
        } finally {
            // A crash of the process does not get here.
            marks.end();
        }
    }

    /** Whether workers died when they decided that line, by the core that decides now. */
    boolean hasKilled(byte[] signal, long line) {
        return marks != null && marks.hasKilled(generation, signal, line);
    }

    private byte[] decide(String subject, byte[] name, byte[] signals, long line, long passed, long until) throws Exception {
        byte[] decisions = shard.decide(name, signals, null, line, passed, until);
        if (shard.status() == Shard.NEEDS_RECORD) {
            makeRoom();
            keys.setCurrentKey(subject);
            byte[] record = state.value();
            decisions = shard.decide(name, signals, record == null ? beginning(subject) : record, line, passed, until);
            live++;
            read++;
        }
        if (shard.status() == Shard.FAILED) {
            throw new CoreException(shard.error());
        }
        return decisions;
    }

    /** What a subject begins with that has no record here. */
    private byte[] beginning(String subject) throws CoreException {
        long lastDecision = forgotten.lastDecision(subject);
        return lastDecision == 0 ? NEW : core.remains(subject, lastDecision);
    }

    /** What came of the last decision. */
    Shard last() {
        return shard;
    }

    /** Lets go of half of the records when there are too many in memory. */
    private void makeRoom() throws Exception {
        if (live >= limit) {
            store(limit / 2);
        }
    }

    /**
     * Writes what changed into the state. Leaves another key current.
     *
     * @param keep so many records may stay in memory
     */
    void store(long keep) throws Exception {
        live = shard.collect(keep, (subject, record) -> {
            keys.setCurrentKey(new String(subject, StandardCharsets.UTF_8));
            state.update(record);
            written++;
        });
    }

    /** The record of a subject as it is to be kept, which becomes the current key; null: it has none. */
    byte[] record(String subject) throws Exception {
        store(limit);
        keys.setCurrentKey(subject);
        return state.value();
    }

    /** The same; null also for one who was erased. */
    byte[] known(String subject) throws Exception {
        byte[] record = record(subject);
        return record == null || isErased(subject, record) ? null : record;
    }

    /** Whether nothing is left of a subject but the number of the last decision. */
    private boolean isErased(String subject, byte[] record) {
        try {
            return Arrays.equals(record, core.erase(subject, record));
        } catch (CoreException e) {
            // One that cannot be read is exported as it is.
            return false;
        }
    }

    /** Puts a record where there is none; else nothing happens. The subject is the current key. */
    boolean insert(String subject, byte[] record) throws Exception {
        // The shard may have an empty one, of a subject of whom all was rejected.
        store(0);
        keys.setCurrentKey(subject);
        if (state.value() != null) {
            return false;
        }
        state.update(record);
        return true;
    }

    /** Gets a record as it is to be kept; of one who was erased, what stays of it. */
    interface Body {
        void accept(String subject, byte[] record, boolean isErased) throws Exception;
    }

    /** Shows what the task keeps. Leaves another key current. */
    void forEach(Body body) throws Exception {
        store(limit);
        try (Stream<String> subjects = keys.getKeys(STATE, VoidNamespace.INSTANCE)) {
            for (String subject : (Iterable<String>) subjects::iterator) {
                keys.setCurrentKey(subject);
                byte[] record = state.value();
                body.accept(subject, record, isErased(subject, record));
            }
        }
    }

    /** Puts another record in place of the one that the subject has. */
    void replace(String subject, byte[] record) throws Exception {
        store(0);
        keys.setCurrentKey(subject);
        state.update(record);
    }

    /** The subject has no record any more. */
    void remove(String subject) throws Exception {
        store(0);
        keys.setCurrentKey(subject);
        state.clear();
    }

    /** From now on another core decides. */
    void take(Core core) throws Exception {
        Shard next = core.shard();
        store(0);
        shard.close();
        shard = next;
        this.core = core;
        generation = core.generation();
    }

    long live() {
        return live;
    }

    /** How often a record was read from the state. */
    long read() {
        return read;
    }

    /** How often a record was written into the state. */
    long written() {
        return written;
    }

    @Override
    public void close() throws IOException {
        shard.close();
        if (marks != null) {
            marks.close();
        }
    }
}
