import BelfryJournal

extension JournalReader {
    /// What the entries that follow say, without the heads of segments.
    func texts() throws -> [String] {
        var texts: [String] = []
        while let entry = try next() {
            if !entry[.lines].isEmpty { texts.append(String(decoding: entry[.lines], as: UTF8.self)) }
        }
        return texts
    }
}
