/// Where an entry of the journal lies, and whether it has a due time, in one word.
struct JournalPlace: Comparable {
    private let word: UInt64

    static let none = JournalPlace(word: 0)
    /// Offsets in a row stay below.
    static let offsetLimit = 1 << 16

    private init(word: UInt64) { self.word = word }

    /// - Parameter row: its number, above zero.
    init(row: Int64, offset: Int, hasDue: Bool) {
        word = UInt64(row) << 17 | UInt64(offset) << 1 | (hasDue ? 1 : 0)
    }

    var row: Int64 { Int64(word >> 17) }
    var offset: Int { Int(word >> 1) & (Self.offsetLimit - 1) }
    var hasDue: Bool { word & 1 == 1 }

    static func < (left: JournalPlace, right: JournalPlace) -> Bool { left.word < right.word }
}
