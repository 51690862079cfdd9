import Foundation

/// How far a run has come, on standard error; only where that is a terminal.
final class ProgressBar {
    private let total: Int?
    private let start = Date()
    private var lastShown = Date.distantPast
    private static let width = 30

    init?(total: Int?) {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        self.total = total
    }

    /// Draws at most ten times a second.
    func show(_ bytesRead: Int) {
        let now = Date()
        guard now.timeIntervalSince(lastShown) >= 0.1 else { return }
        lastShown = now
        let megabytes = Double(bytesRead) / 1e6
        let rate = megabytes / max(0.001, now.timeIntervalSince(start))
        var line = String(format: "%.1f MB, %.1f MB/s", megabytes, rate)
        if let total, total > 0 {
            let share = min(1, Double(bytesRead) / Double(total))
            let filled = Int(share * Double(Self.width))
            line =
                "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
                + String(format: "] %3.0f %%  ", share * 100) + line
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
    }

    func clear() { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
}
