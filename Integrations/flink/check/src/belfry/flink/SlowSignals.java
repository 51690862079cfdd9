package belfry.flink;

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Signals of a file, {@code --pace} lines a second, so that there is time to do something to the job. A source of one's own, too. */
public final class SlowSignals implements SignalSource {
    @Override
    public DataStream<Line> open(StreamExecutionEnvironment environment, Settings settings) {
        DataStream<Line> lines = new FileSignals().open(environment, settings);
        return lines.map(new Pace(Long.parseLong(settings.required("pace")))).returns(Line.TYPE).uid("pace").setParallelism(1);
    }

    private static final class Pace implements MapFunction<Line, Line> {
        private final long pace;
        private transient long begin;
        private transient long count;

        Pace(long pace) {
            this.pace = pace;
        }

        @Override
        public Line map(Line line) throws InterruptedException {
            if (count == 0) {
                begin = System.nanoTime();
            }
            long due = begin + ++count * 1_000_000_000L / pace;
            long early = (due - System.nanoTime()) / 1_000_000;
            if (early > 1) {
                Thread.sleep(early);
            }
            return line;
        }
    }
}
