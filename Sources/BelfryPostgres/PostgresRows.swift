/// What a statement gave, in the binary format of the database.
public struct PostgresRows: Sendable {
    public let count: Int
    /// How many rows the statement has inserted, changed or removed.
    public let changed: Int
    private let columns: Int
    private let cells: [[UInt8]?]

    init(count: Int, columns: Int, changed: Int, cells: [[UInt8]?]) {
        (self.count, self.columns, self.changed, self.cells) = (count, columns, changed, cells)
    }

    /// Nil for null.
    public func bytes(_ row: Int, _ column: Int) -> [UInt8]? { cells[row * columns + column] }

    public func text(_ row: Int, _ column: Int) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether it is UTF-8.
    public func isText(_ row: Int, _ column: Int) -> Bool {
        bytes(row, column).map { String(validating: $0, as: UTF8.self) != nil } ?? false
    }

    /// Of a `bigint`; nil for null.
    public func number(_ row: Int, _ column: Int) -> Int64? {
        bytes(row, column).map { $0.withUnsafeBytes { Int64(bigEndian: $0.loadUnaligned(as: Int64.self)) } }
    }
}
