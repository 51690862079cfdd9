import BelfryEngine
import BelfryModel

/// Keeps a sink's rate: items begin at even distances.
struct Pacer {
    /// In ms.
    private let interval: Double
    private var next = 0.0
    /// What a late timer may make up for, in ms.
    private static let slack = 100.0

    init(_ rate: Configuration.Sink.Rate?) { interval = rate?.interval ?? 0 }

    /// When the next one may begin.
    var due: Duration { Duration(milliseconds: Int64(next.rounded(.up))) }

    mutating func begin(at now: Duration) {
        if interval > 0 { next = max(next, Double(now.milliseconds) - Self.slack) + interval }
    }
}
