import BelfryJournal
import BelfryModel
import BelfryStore

/// What a shadow has decided otherwise: how many, and which.
public struct ShadowReport: Sendable {
    public internal(set) var status: ShadowStatus
    /// The last ones that are noted, the oldest first, as lines of JSON.
    public private(set) var differences: [[UInt8]] = []

    /// Reads what the shadow of a run with that store has noted, also while it runs.
    ///
    /// - Throws: `NoJournal`, `JournalError`, `ShadowRefusal`.
    public init(of store: StoreLocation, last count: Int) throws {
        guard let shadow = store.shadow else { throw NoJournal(store: store) }
        try self.init(try JournalReader(shadow.journal), last: count)
    }

    /// Lines of an erased subject are blank, and left out.
    init(_ reader: JournalReader, last count: Int) throws {
        var (lines, counted): ([[UInt8]], ShadowRecord?) = ([], nil)
        while let entry = try reader.next() {
            // What another shadow did is not listed with the counts of this one.
            if let record = entry.values[ShadowRecord.key].flatMap({ ShadowRecord($0) }) {
                if counted.map({ !record.isContinued(from: $0) }) ?? false { lines.removeAll() }
                counted = record
            }
            lines += entry[.differences].split(separator: UInt8(ascii: "\n")).lazy
                .filter { $0.first == UInt8(ascii: "{") }.map { Array($0) }
            if lines.count / 2 > count { lines.removeFirst(lines.count - count) }
        }
        guard let record = counted else { throw ShadowRefusal.unknown }
        (status, differences) = (ShadowStatus(record, state: .stored), lines.suffix(count))
    }

    /// For machines.
    public var value: Value {
        var fields = status.value.map ?? [:]
        fields["differences"] = .list(differences.compactMap { Value(json: $0[...]) })
        return .map(fields)
    }
}
