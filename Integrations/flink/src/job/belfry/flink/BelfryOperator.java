package belfry.flink;

import belfry.core.Core;
import belfry.core.CoreException;
import belfry.core.Shard;
import java.nio.charset.StandardCharsets;
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
    private transient ForgottenSubjects forgotten;
    private transient SubjectRecords records;
    private transient SubjectCommands commands;
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
                getOperatorStateBackend().getBroadcastState(Bundles.STATE), settings.bundle(), settings.replacesBundle(),
                getRuntimeContext().getJobInfo().getJobId().toString());
        forgotten = new ForgottenSubjects(getOperatorStateBackend(), task() == 0);
        records = new SubjectRecords(
                bundles.current(), keys(),
                context.getKeyedStateStore().getState(new ValueStateDescriptor<>(SubjectRecords.STATE, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                forgotten, settings);
        commands = new SubjectCommands(getRuntimeContext().getTaskInfo(), records);
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
        forgotten.store();
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

    /** Keys are set where the state or a timer is needed: mostly a record is in memory, and no timer changes. */
    @Override
    public boolean hasKeyContext1() {
        return false;
    }

    @Override
    public void processElement1(StreamRecord<Line> element) throws Exception {
        Line line = element.getValue();
        if (!line.isSignal()) {
            take(line);
            return;
        }
        metrics.signals.inc();
        if (records.hasKilled(line.bytes(), line.number())) {
            reject(line);
            return;
        }
        settle(line.subject(), records.decide(line.subject(), line.bytes(), line.number(), passed, Core.NEVER));
    }

    /** A signal at which two workers died is left out. */
    private void reject(Line line) {
        metrics.rejects.inc();
        String reject = "{\"line\":" + line.number() + ",\"code\":\"crashed\",\"message\":\"two workers died when they decided it: a plugin"
                + " of generation " + generation + " crashes\",\"input\":"
                + Command.quoted(new String(line.bytes(), StandardCharsets.UTF_8)) + "}\n";
        output.collect(BelfryJob.REJECTS, new StreamRecord<>(reject.getBytes(StandardCharsets.UTF_8)));
    }

    /** Hands on what was decided, and has the next timer where it is due now. */
    private void settle(String subject, byte[] lines) {
        Shard last = records.last();
        long before = last.timerBefore();
        long next = last.nextTimer();
        if (before != next) {
            setCurrentKey(subject);
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
            collectFaults(lines);
        }
    }

    /** Those of the lines that tell of a fault. A step mostly decides more: the chain goes on. */
    private void collectFaults(byte[] lines) {
        for (String line : new String(lines, StandardCharsets.UTF_8).split("(?<=\n)")) {
            // The first type is the decision's own: quotes in texts are escaped, and data comes behind it.
            int type = line.indexOf("\"type\":");
            if (type >= 0 && line.startsWith("\"type\":\"strategy.faulted\"", type)) {
                metrics.faults.inc();
                output.collect(BelfryJob.FAULTS, new StreamRecord<>(line.getBytes(StandardCharsets.UTF_8)));
            }
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
    public void processElement2(StreamRecord<String> element) throws Exception {
        Command command = Command.parse(element.getValue());
        switch (command.name()) {
            case "bundle" -> announce(command);
            case "records" -> exportAll(command);
            case "erase" -> erase(command);
            default -> answer(command);
        }
    }

    private void announce(Command command) throws Exception {
        bundles.announce(command.text("bundle"), command.text("generation"), command.time("from"));
        changeBundle();
        String state = generation.equals(command.text("generation")) ? "in force" : "waiting";
        answer(command, "{\"task\":" + task() + ",\"generation\":\"" + command.text("generation") + "\",\"state\":\"" + state + "\"}");
    }

    private int task() {
        return getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    }

    private void answer(Command command) throws Exception {
        if (!commands.isHere(command.subject())) {
            return;
        }
        try {
            String answer = commands.answer(command, bundles.current(), passed);
            tell(answer == null ? command.error(unknown(command)) : command.answer(answer));
        } catch (CoreException e) {
            tell(command.error(e.getMessage()));
        }
    }

    private static String unknown(Command command) {
        return "there is no record of subject '" + command.subject() + "': no signal named it, or it was erased";
    }

    /**
     * What stays of a subject is its last number, so that no id of a decision is used twice. A record that cannot be read does not say
     * it: then nothing stays, since who wants to be erased is not to wait for a record to be mended.
     */
    private void erase(Command command) throws Exception {
        String subject = command.subject();
        if (!commands.isHere(subject)) {
            return;
        }
        byte[] record = records.known(subject);
        if (record == null) {
            tell(command.error(unknown(command)));
            return;
        }
        try {
            byte[] remains = bundles.current().erase(subject, record);
            // Asks for nothing but the timer.
            records.decide(subject, null, 0, passed, Core.NEVER);
            if (records.last().timerBefore() != Core.NEVER) {
                setCurrentKey(subject);
                timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, records.last().timerBefore());
            }
            records.replace(subject, remains);
            answer(command, "\"erased\"");
        } catch (CoreException e) {
            // Its timer is not known either: one that fires finds nothing due.
            records.remove(subject);
            tell(command.answer("\"erased\"", "its record could not be read, so the numbers of its decisions begin again,"
                    + " and ids that were given may come once more"));
        }
    }

    /** The last tick comes first: it is as much of the state as the records. */
    private void exportAll(Command command) throws Exception {
        RecordLines lines = new RecordLines(
                bundles.current(), line -> output.collect(BelfryJob.RECORDS, new StreamRecord<>(line)));
        if (passed != Core.NEVER) {
            lines.tick(passed);
        }
        forgotten.forEach(lines::remains);
        records.forEach((subject, record, isErased) -> {
            if (isErased) {
                lines.remains(subject, record);
            } else {
                lines.record(subject, record);
            }
        });
        answer(command, "{\"task\":" + task() + "," + lines.counts() + "}");
    }

    private void answer(Command command, String answer) {
        tell(command.answer(answer));
    }

    private void tell(byte[] line) {
        output.collect(BelfryJob.ANSWERS, new StreamRecord<>(line));
    }

    // MARK: Import

    private void take(Line line) throws Exception {
        if (line.isRecord()) {
            take(line.subject(), line.bytes());
        } else {
            forgotten.take(line.bytes());
            metrics.imported.inc();
        }
    }

    /** Goes on with a record that another engine has kept. */
    private void take(String subject, byte[] record) throws Exception {
        if (!records.insert(subject, record)) {
            tell(Command.error(subject, "the record of '" + subject + "' is not taken: the subject has one here already"));
            return;
        }
        records.decide(subject, null, 0, passed, Core.NEVER);
        if (records.last().nextTimer() != Core.NEVER) {
            setCurrentKey(subject);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, records.last().nextTimer());
        }
        metrics.imported.inc();
    }
}
