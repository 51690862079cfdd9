package belfry.flink;

import belfry.core.Core;
import belfry.core.Shard;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Decides signals of subjects, as {@code belfry run} does.
 *
 * <p>A subject is a key, its record is the keyed state, its next timer is an event-time timer, and a watermark is a tick. The second
 * input has commands, which every task gets.
 *
 * <p>An operator and no KeyedProcessFunction: records are written when a checkpoint begins, each under its own key, and a function
 * cannot say whose state it writes.
 */
final class BelfryOperator extends AbstractStreamOperator<Decisions>
        implements TwoInputStreamOperator<Line, String, Decisions>, Triggerable<String, VoidNamespace> {
    private final Settings settings;

    private transient Bundles bundles;
    private transient SubjectRecords records;
    private transient InternalTimerService<VoidNamespace> timers;
    private transient OperatorMetrics metrics;
    private transient String generation;
    /** The last tick: every timer due at or before it has fired. */
    private transient long passed;

    BelfryOperator(Settings settings) {
        this.settings = settings;
    }

    // MARK: Beginning and end

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        bundles = new Bundles(
                getOperatorStateBackend().getBroadcastState(Bundles.STATE), settings.bundle(), settings.replacesBundle());
        records = new SubjectRecords(
                bundles.current(), keys(),
                context.getKeyedStateStore().getState(new ValueStateDescriptor<>("record", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                settings.liveRecords());
        passed = bundles.passed();
        generation = bundles.current().generation();
    }

    private KeyedStateBackend<String> keys() {
        return getKeyedStateBackend();
    }

    @Override
    public void open() throws Exception {
        super.open();
        timers = getInternalTimerService("timers", VoidNamespaceSerializer.INSTANCE, this);
        metrics = new OperatorMetrics(getRuntimeContext().getMetricGroup(), records, () -> generation);
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        records.store(settings.liveRecords());
        bundles.setPassed(passed);
        super.snapshotState(context);
    }

    @Override
    public void close() throws Exception {
        if (records != null) {
            records.close();
        }
        if (bundles != null) {
            bundles.close();
        }
        super.close();
    }

    // MARK: Signals

    @Override
    public void processElement1(StreamRecord<Line> element) throws Exception {
        Line line = element.getValue();
        records.makeRoom();
        setCurrentKey(line.subject());
        metrics.signals.inc();
        settle(line.subject(), records.decide(line.subject(), line.bytes(), line.number(), passed, Core.NEVER));
    }

    /** Hands on what was decided, and has the next timer where it is due now. */
    private void settle(String subject, byte[] lines) {
        Shard last = records.last();
        long before = last.timerBefore();
        long next = last.nextTimer();
        if (before != next) {
            if (before != Core.NEVER) {
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, before);
            }
            if (next != Core.NEVER) {
                timers.registerEventTimeTimer(VoidNamespace.INSTANCE, next);
            }
        }
        if (lines != null) {
            output.collect(new StreamRecord<>(new Decisions(subject, lines, generation)));
        }
        if (last.hasRejects()) {
            metrics.rejects.inc();
            output.collect(BelfryJob.REJECTS, new StreamRecord<>(last.rejects()));
        }
        if (last.hasFaults()) {
            metrics.faults.inc();
            output.collect(BelfryJob.FAULTS, new StreamRecord<>(lines));
        }
    }

    // MARK: Time

    @Override
    public void onEventTime(InternalTimer<String, VoidNamespace> timer) throws Exception {
        metrics.timers.inc();
        settle(timer.getKey(), records.decide(timer.getKey(), null, 0, passed, timer.getTimestamp()));
    }

    @Override
    public void onProcessingTime(InternalTimer<String, VoidNamespace> timer) {}

    @Override
    public void processWatermark1(Watermark mark) throws Exception {
        // The end of the input is no tick: what is due after it stays armed.
        if (mark.getTimestamp() == Long.MAX_VALUE) {
            output.emitWatermark(mark);
            return;
        }
        timeServiceManager.advanceWatermark(mark);
        passed = Math.max(passed, mark.getTimestamp());
        changeBundle();
        output.emitWatermark(mark);
    }

    /** Commands move no time. */
    @Override
    public void processWatermark2(Watermark mark) {}

    private void changeBundle() throws Exception {
        if (!bundles.isNextDue(passed)) {
            return;
        }
        Core former = bundles.advance();
        records.take(bundles.current());
        former.close();
        generation = bundles.current().generation();
    }

    // MARK: Commands

    @Override
    public void processElement2(StreamRecord<String> element) throws Exception {}
}
