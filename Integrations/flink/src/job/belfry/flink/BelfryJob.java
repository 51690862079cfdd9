package belfry.flink;

import java.util.List;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
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
        DataStream<Decisions> decisions = decide(environment, signals(environment, settings), operator);
        sink.write(decisions, settings);
        for (OutputTag<byte[]> tag : List.of(REJECTS, FAULTS)) {
            SideOutputTransformation<byte[]> side = new SideOutputTransformation<>(decisions.getTransformation(), tag);
            sink.write(new DataStream<>(environment, side), tag.getId(), settings);
        }
    }

    private static KeyedStream<Line, String> signals(StreamExecutionEnvironment environment, Settings settings) throws Exception {
        SignalSource source = made(settings.optional("source", FileSignals.class.getName()), SignalSource.class);
        DataStream<Line> lines = source.open(environment, settings);
        return lines.transform("router", Line.TYPE, new Router(settings.bundle(), settings.lateness()))
                .uid("router")
                .setParallelism(lines.getParallelism())
                .keyBy(Line::subject, Types.STRING);
    }

    private static DataStream<Decisions> decide(
            StreamExecutionEnvironment environment, KeyedStream<Line, String> signals,
            TwoInputStreamOperator<Line, String, Decisions> operator) {
        DataStream<String> commands = environment.fromData("").broadcast();
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
