package belfry.flink;

import java.util.List;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.transformations.SideOutputTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.util.OutputTag;

/**
 * The job: signals in, decisions out.
 *
 * <pre>
 * signals → router ─(by subject)─▶ belfry ─▶ decisions
 * commands → gate ───(to all)────▶        ─▶ rejects, faults, answers, records
 * </pre>
 */
public final class BelfryJob {
    static final OutputTag<byte[]> REJECTS = tag("rejects");
    static final OutputTag<byte[]> FAULTS = tag("faults");
    static final OutputTag<byte[]> ANSWERS = tag("answers");
    static final OutputTag<byte[]> RECORDS = tag("records");

    private BelfryJob() {}

    private static OutputTag<byte[]> tag(String name) {
        return new OutputTag<>(name, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments);
        StreamExecutionEnvironment environment = environment(settings);
        build(environment, settings, new BelfryOperator(settings));
        environment.execute("belfry");
    }

    static StreamExecutionEnvironment environment(Settings settings) {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setMaxParallelism(settings.maxParallelism());
        // Nothing here changes what it has handed on.
        environment.getConfig().enableObjectReuse();
        return environment;
    }

    static void build(
            StreamExecutionEnvironment environment, Settings settings, TwoInputStreamOperator<Line, String, Decisions> operator)
            throws Exception {
        DecisionSink sink = made(settings.optional("sink", FileDecisions.class.getName()), DecisionSink.class);
        SingleOutputStreamOperator<String> commands = commands(environment, settings);
        DataStream<Decisions> decisions = decide(environment, signals(environment, settings), commands.broadcast(), operator);
        sink.write(decisions, settings);
        for (OutputTag<byte[]> tag : List.of(REJECTS, FAULTS, RECORDS)) {
            sink.write(side(decisions, tag), tag.getId(), settings);
        }
        sink.write(side(decisions, ANSWERS).union(commands.getSideOutput(ANSWERS)), ANSWERS.getId(), settings);
    }

    private static DataStream<byte[]> side(DataStream<?> stream, OutputTag<byte[]> tag) {
        return new DataStream<>(stream.getExecutionEnvironment(), new SideOutputTransformation<>(stream.getTransformation(), tag));
    }

    private static SingleOutputStreamOperator<String> commands(StreamExecutionEnvironment environment, Settings settings)
            throws Exception {
        CommandSource source = made(settings.optional("command-source", FileCommands.class.getName()), CommandSource.class);
        return source.open(environment, settings)
                .process(new CommandGate())
                .name("gate")
                // One behind a source that has ended has ended, too, for those who go on from a savepoint.
                .uid(settings.hasCommands() ? "gate" : "no gate")
                .setParallelism(1)
                .setMaxParallelism(1);
    }

    private static KeyedStream<Line, String> signals(StreamExecutionEnvironment environment, Settings settings) throws Exception {
        SignalSource source = made(settings.optional("source", FileSignals.class.getName()), SignalSource.class);
        DataStream<Line> lines = source.open(environment, settings);
        return lines.transform("router", Line.TYPE, new Router(settings.lateness(), settings.ahead()))
                .uid("router")
                .setParallelism(lines.getParallelism())
                .keyBy(Line::subject, Types.STRING);
    }

    private static DataStream<Decisions> decide(
            StreamExecutionEnvironment environment, KeyedStream<Line, String> signals, DataStream<String> commands,
            TwoInputStreamOperator<Line, String, Decisions> operator) {
        TwoInputTransformation<Line, String, Decisions> belfry = new TwoInputTransformation<>(
                signals.getTransformation(), commands.getTransformation(), "belfry", operator,
                Decisions.TYPE, environment.getParallelism());
        belfry.setUid("belfry");
        belfry.setStateKeyType(signals.getKeyType());
        belfry.setStateKeySelectors(signals.getKeySelector(), null);
        environment.addOperator(belfry);
        return new DataStream<>(environment, belfry);
    }

    /** An object of a class that is named on the command line. */
    private static <T> T made(String name, Class<T> type) throws ReflectiveOperationException {
        return type.cast(Class.forName(name, true, Thread.currentThread().getContextClassLoader()).getConstructor().newInstance());
    }
}
