package belfry.flink;

import belfry.core.Core;
import belfry.core.Shard;
import java.nio.charset.StandardCharsets;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;

/**
 * Finds out whose each line is, and makes ticks of the stream into watermarks.
 *
 * <p>A {@code clock.advanced} goes no further: as a watermark it reaches every task, behind the signals before it and before those
 * behind it. Without ticks, {@code lateness} has the router go by the signals; one from the future moves no time then.
 */
final class Router extends AbstractStreamOperator<Line> implements OneInputStreamOperator<Line, Line> {
    /** Watermarks go to every task, so there are not more of them than one for each second of the signals' time. */
    private static final long STEP = 1000;

    /** How far behind the latest signal time is taken to have passed, in ms; negative: ticks of the stream only. */
    private final long lateness;
    /** How far ahead of the time of day a signal may move time, in ms: one device with a wrong clock is not to move that of all. */
    private final long ahead;

    private transient Core core;
    private transient Shard shard;
    private transient long passed;
    private transient boolean isIdle;

    Router(long lateness, long ahead) {
        this.lateness = lateness;
        this.ahead = ahead;
    }

    @Override
    public void open() throws Exception {
        super.open();
        // Whose a line is depends on no configuration; the one that is in force may lie elsewhere by now.
        core = Bundle.none();
        shard = core.shard();
        passed = Core.NEVER;
    }

    @Override
    public void processElement(StreamRecord<Line> element) {
        Line line = element.getValue();
        if (isIdle) {
            // A source that gives no watermarks of its own says that it is idle, and never that it is back. Flink drops ticks of what is idle.
            isIdle = false;
            output.emitWatermarkStatus(WatermarkStatus.ACTIVE);
        }
        if (!line.isSignal()) {
            output.collect(element);
            return;
        }
        byte[] subject = shard.subject(line.bytes(), lateness >= 0);
        if (shard.isTick()) {
            pass(shard.time());
            return;
        }
        if (subject != null) {
            line.f0 = new String(subject, StandardCharsets.UTF_8);
        }
        output.collect(element);
        if (lateness >= 0 && shard.time() != Core.NEVER && shard.time() - lateness >= passed + STEP
                && shard.time() <= System.currentTimeMillis() + ahead) {
            pass(shard.time() - lateness);
        }
    }

    @Override
    public void processWatermarkStatus(WatermarkStatus status) throws Exception {
        isIdle = status.isIdle();
        super.processWatermarkStatus(status);
    }

    private void pass(long time) {
        if (time > passed) {
            passed = time;
            output.emitWatermark(new Watermark(time));
        }
    }

    @Override
    public void close() throws Exception {
        if (shard != null) {
            shard.close();
        }
        if (core != null) {
            core.close();
        }
        super.close();
    }
}
