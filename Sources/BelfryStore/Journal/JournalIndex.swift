import BelfryModel
import GRDB

/// Where the newest version of each record lies, of those that are in the journal: what the writer knows of its own commits.
struct JournalIndex {
    /// An entry in a row of the journal.
    struct Place: Comparable {
        let row: Int64
        let offset: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.row, left.offset) < (right.row, right.offset)
        }
    }

    private var places: [SubjectKey: Place] = [:]
    /// Bytes in the journal.
    private(set) var size = 0
    /// Whether there may be records outside of the journal.
    var mayHaveRows = true

    func place(of subject: String) -> Place? { places.isEmpty ? nil : places[SubjectKey(subject)] }

    /// Takes up what was committed. Of two commits at once, the later one may come first.
    mutating func note(_ row: Database.JournalRow) {
        var offset = 0
        for change in row.changes {
            defer { offset += JournalEntry.size(of: change) }
            let place = Place(row: row.number, offset: offset)
            let key = SubjectKey(change.subject)
            if let known = places.updateValue(place, forKey: key), known > place { places[key] = known }
        }
        size += offset
    }

    /// The journal has become rows.
    mutating func removeAll() {
        places = [:]
        size = 0
    }
}
