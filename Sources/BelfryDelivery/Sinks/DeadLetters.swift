import BelfryJournal
import BelfryModel

/// Decisions that a sink was not given: lines beside the journal, each with the decision, why, and when it was given up; those that are to be
/// sent again have `resend`.
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

    /// Those that are to be sent again.
    var resent: [Fields] { get throws { try all.filter { $0["resend"] == true } } }

    /// All that there are now are to be sent again.
    func resend() throws {
        var letters = try all
        if letters.isEmpty { return }
        for index in letters.indices { letters[index]["resend"] = true }
        try keep(letters)
    }

    /// What was sent again is over.
    ///
    /// - Parameter ended: by the ids of decisions, whether they have arrived; others were given up once more, and stay.
    func note(_ ended: [SubjectKey: Bool]) throws {
        let kept = try all.compactMap { letter -> Fields? in
            guard let id = letter["decision"]?.map?["id"]?.text, let hasArrived = ended[SubjectKey(id)] else {
                return letter
            }
            var letter = letter
            letter["resend"] = nil
            return hasArrived ? nil : letter
        }
        try keep(kept)
    }

    /// Keeps those only.
    private func keep(_ letters: [Fields]) throws { try lines.keep(letters.map(Self.line)) }

    func forget(_ subject: String) throws {
        let letters = try all
        let kept = letters.filter { $0["decision"]?.map?["subject"]?.text?.isSameText(as: subject) != true }
        if kept.count < letters.count { try keep(kept) }
    }
}
