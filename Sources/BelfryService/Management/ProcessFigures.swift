import BelfryRuntime
import Glibc

/// What the system knows of this process, under the names that Prometheus' clients use.
enum ProcessFigures {
    static var gauges: [Metrics.Gauge] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        let memory = ProcessMemory()
        return [
            Metrics.Gauge("process_cpu_seconds_total", "Processor time.", seconds, type: "counter"),
            Metrics.Gauge("process_virtual_memory_bytes", "Virtual memory.", memory.virtual),
            Metrics.Gauge("process_resident_memory_bytes", "Resident memory.", memory.resident),
            Metrics.Gauge("process_open_fds", "Open descriptors.", openDescriptors),
            Metrics.Gauge("process_max_fds", "How many descriptors there may be.", mostDescriptors),
        ]
    }

    private static var mostDescriptors: Int {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return Int(clamping: limits.rlim_cur)
    }

    private static var openDescriptors: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Two are the folder itself and the one above it, and one is that of the look.
        return max(0, count - 3)
    }
}
