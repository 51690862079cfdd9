import Glibc

/// What the system knows of this process, under the names that Prometheus' clients use.
enum ProcessFigures {
    static var gauges: [Metrics.Gauge] {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = [usage.ru_utime, usage.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
        return [
            Metrics.Gauge("process_cpu_seconds_total", "Processor time.", seconds, type: "counter"),
            Metrics.Gauge("process_virtual_memory_bytes", "Virtual memory.", memory.virtual),
            Metrics.Gauge("process_resident_memory_bytes", "Resident memory.", memory.resident),
            Metrics.Gauge("process_open_fds", "Open descriptors.", openDescriptors),
            Metrics.Gauge("process_max_fds", "How many descriptors there may be.", mostDescriptors),
        ]
    }

    /// In bytes.
    private static var memory: (virtual: Int, resident: Int) {
        guard let file = fopen("/proc/self/statm", "r") else { return (0, 0) }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 128)
        guard fgets(&text, 128, file) != nil else { return (0, 0) }
        let pages = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(separator: " ").compactMap { Int($0) }
        let size = sysconf(Int32(_SC_PAGESIZE))
        return pages.count > 1 ? (pages[0] * size, pages[1] * size) : (0, 0)
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
