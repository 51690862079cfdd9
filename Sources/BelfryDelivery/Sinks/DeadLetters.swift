import BelfryEngine
import BelfryJournal
import BelfryModel

/// Decisions that a sink was not given: lines beside the journal, each with the decision, why, and when it was given up.
package struct DeadLetters: Sendable {
    private let lines: SideLines
    private static let (prefix, suffix) = ("dead-", ".jsonl")

    init(of sink: String, beside journal: JournalLocation) {
        lines = SideLines(Self.prefix + sink + Self.suffix, beside: journal)
    }

    /// Takes a subject out of what any sink was not given, also one that the configuration does not have any more.
    ///
    /// - Parameter others: sinks at work, which see to their own letters.
    package static func forget(
        _ subject: String, beside journal: JournalLocation, except others: Set<String> = []
    ) throws {
        for name in try SideLines.names(beside: journal) where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            let sink = String(name.dropFirst(prefix.count).dropLast(suffix.count))
            if !others.contains(sink) { try DeadLetters(of: sink, beside: journal).forget(subject) }
        }
    }

    func append(_ items: [SinkItem], why: String, at time: Instant) throws {
        try lines.append(
            items.map { Self.line(["at": .text("\(time)"), "why": .text(why), "decision": .map($0.decision)]) })
    }

    private static func line(_ letter: Fields) -> [UInt8] { Array((Value.map(letter).json + "\n").utf8) }

    /// In their order; what is no line of this program's is left out.
    var all: [Fields] {
        get throws {
            try lines.all.split(separator: UInt8(ascii: "\n")).compactMap { Value(json: Array($0)[...])?.map }
        }
    }

    /// Keeps those only.
    func keep(_ letters: [Fields]) throws { try lines.keep(letters.map(Self.line)) }

    func forget(_ subject: String) throws {
        let letters = try all
        let kept = letters.filter { $0["decision"]?.map?["subject"]?.text?.isSameText(as: subject) != true }
        if kept.count < letters.count { try keep(kept) }
    }
}
