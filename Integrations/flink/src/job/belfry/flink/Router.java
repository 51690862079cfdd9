package belfry.flink;

import belfry.core.Core;
import belfry.core.Shard;
import java.nio.charset.StandardCharsets;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Finds out whose each line is, and makes ticks of the stream into watermarks.
 *
 * <p>A {@code clock.advanced} goes no further: as a watermark it reaches every task, behind the signals before it and before those
 * behind it. Where nobody writes ticks, {@code lateness} has the router do it.
 */
final class Router extends AbstractStreamOperator<Line> implements OneInputStreamOperator<Line, Line> {
    /** Watermarks go to every task, so there are not more of them than one for each second of the signals' time. */
    private static final long STEP = 1000;

    private final String bundle;
    /** How far behind the latest signal time is taken to have passed, in ms; negative: ticks of the stream only. */
    private final long lateness;

    private transient Core core;
    private transient Shard shard;
    private transient long passed;

    Router(String bundle, long lateness) {
        this.bundle = bundle;
        this.lateness = lateness;
    }

    @Override
    public void open() throws Exception {
        super.open();
        core = Bundle.open(bundle);
        shard = core.shard();
        passed = Core.NEVER;
    }

    @Override
    public void processElement(StreamRecord<Line> element) {
        Line line = element.getValue();
        if (line.isRecord()) {
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
        if (lateness >= 0 && shard.time() != Core.NEVER && shard.time() - lateness >= passed + STEP) {
            pass(shard.time() - lateness);
        }
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
