import BelfryModel

/// How far the decisions of a shadow were compared, and what came of it: a named value in the shadow's journal.
struct ShadowRecord {
    /// The entries of both journals up to which all is compared.
    var entry: (a: UInt64, b: UInt64)
    /// What the shadow is called: as its user named the file.
    var name: String
    /// The fingerprint of the shadow's configuration: what another one did is not counted with it.
    var fingerprint: String
    /// When the counts began.
    var since: Instant
    var compared = 0
    var counts: [ShadowDifference.Kind: Int] = [:]
    /// By the outcomes on both sides.
    var transitions: [[String]: Int] = [:]

    /// The name of the value.
    static let key = "shadow"

    init(entry: (a: UInt64, b: UInt64), of name: String, fingerprint: String, since: Instant) {
        (self.entry, self.name, self.fingerprint, self.since) = (entry, name, fingerprint, since)
    }

    /// Whether its counts are those of the other one, and what came after.
    func isContinued(from former: Self) -> Bool { fingerprint == former.fingerprint && since == former.since }

    /// Nil if these bytes are none.
    init?(_ bytes: [UInt8]) {
        guard let fields = Value(json: bytes[...])?.map, let a = fields["a"]?.integer, let b = fields["b"]?.integer,
            let name = fields["name"]?.text, let fingerprint = fields["fingerprint"]?.text,
            let since = fields["since"]?.integer
        else { return nil }
        self.init(
            entry: (UInt64(clamping: a), UInt64(clamping: b)), of: name, fingerprint: fingerprint,
            since: Instant(milliseconds: since))
        compared = Int(fields["compared"]?.integer ?? 0)
        for kind in ShadowDifference.Kind.allCases {
            counts[kind] = fields[kind.rawValue]?.integer.map { Int($0) }
        }
        for transition in fields["transitions"]?.list ?? [] {
            guard let parts = transition.list, parts.count == 3, let a = parts[0].text, let b = parts[1].text else {
                continue
            }
            transitions[[a, b]] = Int(parts[2].integer ?? 0)
        }
    }

    var bytes: [UInt8] {
        var fields: Fields = [
            "a": .integer(Int64(entry.a)), "b": .integer(Int64(entry.b)), "name": .text(name),
            "fingerprint": .text(fingerprint),
            "since": .integer(since.milliseconds), "compared": .integer(Int64(compared)),
            "transitions": .list(
                sortedTransitions.map { [.text($0.a), .text($0.b), .integer(Int64($0.count))] }),
        ]
        for (kind, count) in counts { fields[kind.rawValue] = .integer(Int64(count)) }
        return Array(Value.map(fields).json.utf8)
    }

    /// The most frequent first.
    var sortedTransitions: [(a: String, b: String, count: Int)] {
        transitions.map { (a: $0[0], b: $0[1], count: $1) }.sorted { ($1.count, $0.a, $0.b) < ($0.count, $1.a, $1.b) }
    }

    mutating func count(_ kind: ShadowDifference.Kind, _ a: ComparedLine?, _ b: ComparedLine?) {
        counts[kind, default: 0] += 1
        guard kind == .outcome else { return }
        transitions[[a, b].map { $0?.outcome.rawValue ?? "none" }, default: 0] += 1
    }
}
