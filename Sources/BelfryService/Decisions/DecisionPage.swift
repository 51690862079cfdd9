/// A page of decisions, as it grows.
struct DecisionPage {
    /// The decision that brings it to so many bytes is its last one: a decision may have 1 MiB, and `limit` 10,000 of them.
    static let most = 8 << 20

    private let limit: Int
    private var count = 0
    private var bytes = Array(#"{"decisions":["#.utf8)

    /// - Parameter limit: how many it is to have at most.
    init(limit: Int) { self.limit = limit }

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count == limit || bytes.count >= Self.most }

    mutating func add(_ line: [UInt8]) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += line
        count += 1
    }

    /// The whole page, for the client who goes on at a cursor.
    consuming func json(next: String) -> [UInt8] {
        bytes += #"],"next":"\#(next)"}"#.utf8
        return bytes
    }
}
