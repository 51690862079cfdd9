import Foundation

/// How far something long has come, on standard error; only where that is a terminal.
final class ProgressBar {
    /// What is counted.
    enum Unit {
        case bytes, records, checks
    }

    private let total: Int?
    private let unit: Unit
    private let start = Date()
    private var lastShown = Date.distantPast
    private static let width = 30

    init?(total: Int?, unit: Unit = .bytes) {
        guard isatty(STDERR_FILENO) == 1 else { return nil }
        self.total = total
        self.unit = unit
    }

    /// Draws at most ten times a second.
    func show(_ done: Int) {
        let now = Date()
        guard now.timeIntervalSince(lastShown) >= 0.1 else { return }
        lastShown = now
        var line = unit.text(done, in: max(0.001, now.timeIntervalSince(start)))
        if let total, total > 0 {
            let share = min(1, Double(done) / Double(total))
            let filled = Int(share * Double(Self.width))
            line =
                "[" + String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
                + String(format: "] %3.0f %%  ", share * 100) + line
        }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
    }

    func clear() { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
}

extension ProgressBar.Unit {
    fileprivate func text(_ done: Int, in seconds: Double) -> String {
        let done = Double(done)
        return switch self {
        case .bytes: String(format: "%.1f MB, %.1f MB/s", done / 1e6, done / 1e6 / seconds)
        case .records: String(format: "%.0f records, %.0f/s", done, done / seconds)
        case .checks: String(format: "%.0f checks", done)
        }
    }
}
