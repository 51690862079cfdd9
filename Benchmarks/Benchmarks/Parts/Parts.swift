import Benchmark
import CCount
import Workloads

/// Every workload, a thousand operations at a time. Benchmark counts allocations with jemalloc, which is not wanted here, so they
/// are counted by ourselves.
let benchmarks: @Sendable () -> Void = {
    let allocations = BenchmarkMetric.custom("Allocations", polarity: .prefersSmaller, useScalingFactor: true)
    var configuration = Benchmark.Configuration()
    configuration.metrics = [.wallClock, allocations]
    configuration.scalingFactor = .kilo
    configuration.maxDuration = .seconds(2)
    Benchmark.defaultConfiguration = configuration

    for workload in Workload.all {
        // Made once, as soon as it is wanted: it takes longer than what is measured.
        nonisolated(unsafe) var prepared: Work?
        Benchmark(workload.name) { benchmark in
            let work = try prepared ?? workload.prepare(false)
            prepared = work
            let operations = benchmark.scaledIterations.count
            let before = count_allocations()
            benchmark.startMeasurement()
            try work.run(operations)
            benchmark.stopMeasurement()
            benchmark.measurement(allocations, Int(count_allocations() - before))
        }
    }
}
