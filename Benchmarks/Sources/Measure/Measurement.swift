import BelfryModel
import CCount
import Workloads

enum Measurement {
    private static func workloads(_ names: [String]) -> [Workload] {
        names.isEmpty ? Workload.all : Workload.all.filter { names.contains($0.name) }
    }

    static func time(_ names: [String]) throws {
        for workload in workloads(names) {
            let work = try workload.prepare(false)
            try work.run(workload.operations / 10)
            let start = ContinuousClock.now
            try work.run(workload.operations)
            let took = ContinuousClock.now - start
            let (seconds, attoseconds) = took.components
            let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / Double(workload.operations)
            print("{\"workload\":\"\(workload.name)\",\"nanoseconds\":\(nanoseconds)}")
        }
    }

    /// A line of each workload: its name, how often it was done, and how many allocations that took. Under callgrind the
    /// instructions are in a file of each.
    static func count(_ names: [String]) throws {
        for workload in workloads(names) {
            let work = try workload.prepare(true)
            try work.run(workload.counted)
            count_begin()
            let before = count_allocations()
            try work.run(workload.counted)
            let allocations = count_allocations() - before
            count_end(workload.name)
            print(
                "{\"workload\":\"\(workload.name)\",\"operations\":\(workload.counted),\"allocations\":\(allocations)}")
        }
    }
}
