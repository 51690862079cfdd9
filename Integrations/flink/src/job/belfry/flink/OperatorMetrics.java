package belfry.flink;

import java.util.function.Supplier;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** What a task tells of itself in Flink's metrics, under {@code belfry}. */
final class OperatorMetrics {
    final Counter signals;
    final Counter timers;
    final Counter rejects;
    final Counter faults;
    final Counter imported;

    OperatorMetrics(MetricGroup group, SubjectRecords records, Supplier<String> generation) {
        MetricGroup belfry = group.addGroup("belfry");
        signals = belfry.counter("signals");
        timers = belfry.counter("timersFired");
        rejects = belfry.counter("rejects");
        faults = belfry.counter("faults");
        imported = belfry.counter("recordsImported");
        belfry.gauge("recordsLive", (Gauge<Long>) records::live);
        belfry.gauge("recordsRead", (Gauge<Long>) records::read);
        belfry.gauge("recordsWritten", (Gauge<Long>) records::written);
        belfry.gauge("generation", (Gauge<String>) generation::get);
    }
}
