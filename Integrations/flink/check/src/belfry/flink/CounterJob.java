package belfry.flink;

import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The job of Belfry with an operator that only counts, to compare with. */
public final class CounterJob {
    private CounterJob() {}

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments);
        StreamExecutionEnvironment environment = BelfryJob.environment(settings);
        BelfryJob.build(environment, settings, new CounterOperator());
        environment.execute("counter");
    }
}
