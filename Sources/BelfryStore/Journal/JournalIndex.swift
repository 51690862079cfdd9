import BelfryModel
import GRDB

/// Where the newest version of each record lies, of those that are in the journal.
struct JournalIndex {
    private var places = PlaceTable()
    /// Bytes in the journal.
    private(set) var size = 0

    func place(of subject: String) -> JournalPlace? { places.count == 0 ? nil : places[SubjectHash(subject)] }

    /// Of those with a due time, in the order in which they lie there.
    var placesWithDueTime: [JournalPlace] { places.places.filter(\.hasDue).sorted() }

    /// Takes up what was committed. Of two commits at once, the later one may come first.
    mutating func note(_ row: Database.JournalRow) {
        var offset = 0
        for change in row.changes {
            let place = JournalPlace(row: row.number, offset: offset, hasDue: change.nextDue != nil)
            places.note(place, of: SubjectHash(change.subject))
            offset += JournalEntry.size(of: change)
        }
        size += offset
    }

    /// Takes up what somebody has found there.
    mutating func note(_ entry: JournalEntry, at place: JournalPlace) {
        places.note(place, of: SubjectHash(entry.subject))
        size += entry.size
    }

    /// The journal has become rows.
    mutating func removeAll() { self = JournalIndex() }
}
