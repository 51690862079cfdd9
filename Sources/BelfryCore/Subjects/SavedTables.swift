import BelfryEngine

/// What was written in the large tables of records since these were saved. The rest of a table need not be saved again.
///
/// What is saved of a record lies in two places in turn (`SharedRecords`): a save is made of the one before the last, and of what was
/// written since.
struct SavedTables {
    private var records: [UInt32: Marks] = [:]

    private struct Marks {
        /// Between the last two saves, and since the last one; nil: a table was made anew, or it is not known.
        var former: [TableMark]?
        var latest: [TableMark]?
        /// Where the tables were in the last one.
        var places: TablePlaces
    }

    /// Notes what a signal or timer wrote in the tables of the record that was watched last.
    mutating func note(_ watch: borrowing RecordWatch, _ place: UInt32) {
        guard let index = records.index(forKey: place) else { return }
        watch.collectTableMarks(&records.values[index].latest)
    }

    /// The record is saved now.
    ///
    /// - Returns: what is to be written over the save before the last; nil: all.
    mutating func save(_ record: borrowing SubjectRecord) -> [Range<Int>]? {
        guard record.hasLargeTables else { return nil }
        var (former, latest): ([TableMark]?, [TableMark]?)
        if let marks = records[record.storePlace], marks.places == record.tablePlaces {
            (former, latest) = (marks.former, marks.latest)
        }
        records[record.storePlace] = Marks(former: latest, latest: [], places: record.tablePlaces)
        guard let former, let latest else { return nil }
        return record.ranges(written: former + latest)
    }

    /// Another record may be at that place from now on, or another state of it.
    mutating func forget(_ place: UInt32) { records[place] = nil }
}
