/// Where an entry lies in the log, how many bytes it has, and whether it is a record with a due time, in one word.
struct LogPlace: Comparable {
    private let word: UInt64

    static let none = LogPlace(word: 0)
    /// Of what is larger, the entry itself says how large it is.
    private static let largestSize = 1 << 23 - 1

    private init(word: UInt64) { self.word = word }

    /// - Parameter offset: above zero, since a log begins with something else, and below a tebibyte.
    init(offset: Int, size: Int, hasDue: Bool = false) {
        word = UInt64(offset) << 24 | UInt64(min(size, Self.largestSize)) << 1 | (hasDue ? 1 : 0)
    }

    var offset: Int { Int(word >> 24) }
    /// In bytes; nil if it has too many for this word.
    var size: Int? { Int(word >> 1) & Self.largestSize == Self.largestSize ? nil : Int(word >> 1) & Self.largestSize }
    var hasDue: Bool { word & 1 == 1 }

    static func < (left: LogPlace, right: LogPlace) -> Bool { left.word < right.word }
}
