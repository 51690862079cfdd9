/// A parameter of a statement, as the database takes it in its binary format.
public enum PostgresValue: Sendable {
    case bytes([UInt8]?)
    case number(Int64?)
    case text(String?)
    case listOfBytes([[UInt8]])
    case listOfNumbers([Int64?])

    /// The number of its type (pg_type.dat).
    var type: UInt32 {
        switch self {
        case .bytes: 17
        case .number: 20
        case .text: 25
        case .listOfBytes: 1001
        case .listOfNumbers: 1016
        }
    }

    /// Nil for null.
    var binary: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .number(let number): number?.bigEndianBytes
        // No text of PostgreSQL has U+0000 in it.
        case .text(let text): text.map { Array($0.utf8).flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] } }
        case .listOfBytes(let list): Self.array(of: 17, list)
        case .listOfNumbers(let list): Self.array(of: 20, list.map { $0?.bigEndianBytes })
        }
    }

    /// An array of one dimension (array_recv in arrayfuncs.c).
    private static func array(of type: UInt32, _ elements: [[UInt8]?]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        let (dimensions, hasNulls, first) = (Int32(1), Int32(elements.contains { $0 == nil } ? 1 : 0), Int32(1))
        for number in [dimensions, hasNulls, Int32(bitPattern: type), Int32(elements.count), first] {
            bytes += number.bigEndianBytes
        }
        for element in elements {
            bytes += (element.map { Int32($0.count) } ?? -1).bigEndianBytes
            bytes += element ?? []
        }
        return bytes
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}
