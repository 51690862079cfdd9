package belfry.core;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Subjects whose records stay in native memory between calls. One thread at a time. */
public final class Shard implements AutoCloseable {
    /** Takes a record as it is to be kept. */
    public interface Taker {
        void take(byte[] subject, byte[] record) throws Exception;
    }

    public static final int OK = 0;
    public static final int FAILED = 1;
    /** Nothing was done: the shard needs the record. */
    public static final int NEEDS_RECORD = 2;

    /** The shard is to have the record. */
    private static final int NO_RECORD = -1;

    private static final byte[] NOTHING = {};

    private final long handle;
    private final ByteBuffer numbers;
    private ByteBuffer input;
    private boolean isOpen = true;

    Shard(long core) throws CoreException {
        handle = open(core);
        numbers = numbers(handle).order(ByteOrder.nativeOrder());
        input = input(handle, 1 << 16);
    }

    /**
     * Decides lines of a subject, and fires its timers.
     *
     * @param signals null: none
     * @param record null: the shard is to have it; empty: the subject is new
     * @param line the number of the first line
     * @param passed the last tick before the signals
     * @param until a tick behind them, or {@link Core#NEVER}
     * @return lines of decisions; null: none
     */
    public byte[] decide(byte[] subject, byte[] signals, byte[] record, long line, long passed, long until) {
        byte[] lines = signals == null ? NOTHING : signals;
        int length = record == null ? 0 : record.length;
        reserve(subject.length + lines.length + length);
        input.put(subject).put(lines);
        if (length > 0) {
            input.put(record);
        }
        return decide(handle, subject.length, lines.length, record == null ? NO_RECORD : length, line, passed, until);
    }

    /** What became of the last decision: one of the constants above. */
    public int status() {
        return (int) number(0);
    }

    public long timerBefore() {
        return number(1);
    }

    public long nextTimer() {
        return number(2);
    }

    public boolean hasRejects() {
        return number(3) != 0;
    }

    /** Whether one of the decisions says that a strategy failed; or data has the same text. */
    public boolean hasFaults() {
        return number(4) != 0;
    }

    public byte[] rejects() {
        return rejects(handle);
    }

    /** Why the last decision failed. */
    public String error() {
        return new String(error(handle), StandardCharsets.UTF_8);
    }

    /** Whose a line is; null: it is a tick, or no signal. */
    public byte[] subject(byte[] line, boolean withTime) {
        reserve(line.length);
        input.put(line);
        return head(handle, line.length, withTime);
    }

    /** Whether the last line that was asked about is a tick. */
    public boolean isTick() {
        return number(5) != 0;
    }

    /** When it happened, in ms since 1970; or {@link Core#NEVER}. */
    public long time() {
        return number(6);
    }

    /**
     * Shows each record that changed since the last time, and then lets go of those used longest ago.
     *
     * @param keep so many may stay
     * @return how many there are
     */
    public long collect(long keep, Taker taker) throws Exception {
        return collect(handle, keep, taker);
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            close(handle);
        }
    }

    private long number(int index) {
        return numbers.getLong(8 * index);
    }

    private void reserve(int length) {
        if (length > input.capacity()) {
            input = input(handle, Integer.highestOneBit(length) * 2);
        }
        input.clear();
    }

    private static native long open(long core) throws CoreException;

    private static native void close(long shard);

    private static native ByteBuffer numbers(long shard);

    private static native ByteBuffer input(long shard, int capacity);

    private static native byte[] decide(long shard, int subject, int signals, int record, long line, long passed, long until);

    private static native byte[] rejects(long shard);

    private static native byte[] error(long shard);

    private static native byte[] head(long shard, int length, boolean withTime);

    private static native long collect(long shard, long keep, Taker taker) throws Exception;
}
