import BelfryCore
import BelfryJournal
import BelfryModel

/// What belongs into the gaps of an entry's lines, when their actions have run: a later entry of the journal says it.
struct GapFillings: Equatable {
    /// The entry that has the lines.
    var entry: UInt64
    /// By the offsets of the gaps.
    var texts: [Int: String]

    init(entry: UInt64, texts: [Int: String]) { (self.entry, self.texts) = (entry, texts) }

    /// - Parameter outcomes: of the batch's calls.
    init(entry: UInt64, of batch: OutgoingBatch, _ outcomes: some Collection<Decision.Outcome>) {
        let outcomes = Array(outcomes)
        self.entry = entry
        texts = Dictionary(
            uniqueKeysWithValues: batch.gaps.map {
                ($0.offset, String(decoding: $0.filling(outcomes), as: UTF8.self))
            })
    }

    static func write(_ all: [GapFillings], to entry: inout JournalEntry) {
        let list = all.map { fillings -> Value in
            let texts = fillings.texts.sorted { $0.key < $1.key }
            return [
                "entry": .integer(Int64(fillings.entry)),
                "fillings": .list(texts.map { [.integer(Int64($0.key)), .text($0.value)] }),
            ]
        }
        entry[.outcomes] = list.isEmpty ? [] : Array(Value.list(list).json.utf8)
    }

    /// Nil if an entry says nothing of outcomes.
    static func all(in entry: JournalEntry) -> [GapFillings]? {
        Value(json: entry[.outcomes][...])?.list?.compactMap { value in
            guard let fields = value.map, let number = fields["entry"]?.integer, let list = fields["fillings"]?.list
            else {
                return nil
            }
            let texts = list.compactMap { pair -> (Int, String)? in
                guard let pair = pair.list, pair.count == 2, let offset = pair[0].integer, let text = pair[1].text
                else {
                    return nil
                }
                return (Int(offset), text)
            }
            return GapFillings(entry: UInt64(number), texts: Dictionary(texts) { first, _ in first })
        }
    }
}
