import BelfryPostgres

/// Where the segments of a journal lie in a database (`PostgresSchema`).
///
/// To remove a segment is to remove all of its pieces, for which a server at work may take its time.
struct JournalTables: SegmentStorage {
    private let database: PostgresDatabase

    init(_ database: PostgresDatabase) { self.database = database }

    var path: String { database.name }

    func create() {}

    func names() throws(JournalError) -> [String] {
        let rows = try database.rows("SELECT name FROM belfry_segments")
        return (0..<rows.count).compactMap { rows.text($0, 0) }
    }

    func open(_ name: String, isNew: Bool, isReadOnly: Bool) throws(JournalError) -> any SegmentFile {
        if isNew {
            try database.change { session throws(PostgresError) in
                // One that has something in it is another one's, and stays; the next statement is refused then.
                try session.run(
                    """
                    DELETE FROM belfry_segments WHERE name = $1
                        AND (name LIKE '%.new' OR NOT EXISTS (SELECT FROM belfry_pieces WHERE segment = id))
                    """, [.text(name)], mayTakeLong: true)
                try session.run("INSERT INTO belfry_segments (name) VALUES ($1)", [.text(name)])
            }
        }
        let found = try database.rows("SELECT id FROM belfry_segments WHERE name = $1", [.text(name)])
        guard found.count == 1, let id = found.number(0, 0) else {
            throw .database(PostgresError(.missing, "there is no segment '\(name)'"), path)
        }
        return SegmentRows(id, of: database)
    }

    func remove(_ name: String) {
        try? database.change { session throws(PostgresError) in
            try session.run("DELETE FROM belfry_segments WHERE name = $1", [.text(name)], mayTakeLong: true)
        }
    }

    func replace(_ name: String, with other: String) throws(JournalError) {
        try database.change { session throws(PostgresError) in
            try session.run("DELETE FROM belfry_segments WHERE name = $1", [.text(name)], mayTakeLong: true)
            try session.run("UPDATE belfry_segments SET name = $1 WHERE name = $2", [.text(name), .text(other)])
        }
    }

    func sync() {}

    func putAside() throws(JournalError) -> String {
        try database.change { session throws(PostgresError) in
            try session.run(
                "UPDATE belfry_segments SET name = 'damaged-' || id || '-' || name WHERE name NOT LIKE 'damaged-%'")
        }
        return "\(path), as segments 'damaged-…'"
    }
}

/// A segment that is rows of a table: a row is what became durable together.
private final class SegmentRows: SegmentFile {
    private let id: Int64
    private let database: PostgresDatabase
    /// What was written and is not durable yet, and where it begins.
    private var waiting: [UInt8] = []
    private var place = 0
    /// It has so many bytes at least.
    private var known = 0
    /// What was read last, since most readers go on behind it.
    private var window: (start: Int, bytes: [UInt8]) = (0, [])
    /// So much is read at once.
    private static let windowSize = 256 << 10

    init(_ id: Int64, of database: PostgresDatabase) { (self.id, self.database) = (id, database) }

    func size() throws(JournalError) -> Int {
        let rows = try database.rows(
            """
            SELECT place + length(bytes) FROM belfry_pieces WHERE segment = $1 ORDER BY place DESC LIMIT 1
            """, [.number(id)])
        known = rows.count == 0 ? 0 : Int(rows.number(0, 0) ?? 0)
        return known
    }

    func has(_ end: Int) throws(JournalError) -> Bool {
        if end <= known { return true }
        return try end <= size()
    }

    func isSame(as other: any SegmentFile) -> Bool { (other as? SegmentRows)?.id == id }

    func write(_ bytes: UnsafeRawBufferPointer, at end: Int) {
        if waiting.isEmpty { place = end }
        waiting += bytes
    }

    func sync() throws(JournalError) {
        if waiting.isEmpty { return }
        try database.append(piece: waiting, at: place, of: id)
        waiting.removeAll(keepingCapacity: true)
    }

    /// A piece is there as a whole or not at all: nothing is ever torn, but what is in it may be damaged.
    func cut(to size: Int) throws(JournalError) {
        try database.change { [id] session throws(PostgresError) in
            let place: [PostgresValue] = [.number(id), .number(Int64(size))]
            try session.run("DELETE FROM belfry_pieces WHERE segment = $1 AND place >= $2", place, mayTakeLong: true)
            try session.run(
                """
                UPDATE belfry_pieces SET bytes = substring(bytes FROM 1 FOR ($2 - place)::integer)
                WHERE segment = $1 AND place < $2 AND place + length(bytes) > $2
                """, place, mayTakeLong: true)
        }
    }

    func bytes(at offset: Int, count: Int) throws(JournalError) -> [UInt8] {
        let isThere = offset >= window.start && offset + count <= window.start + window.bytes.count
        if !isThere { try read(from: offset, to: offset + max(count, Self.windowSize)) }
        return Array(window.bytes.dropFirst(max(0, offset - window.start)).prefix(count))
    }

    private func read(from offset: Int, to end: Int) throws(JournalError) {
        let rows = try database.rows(
            """
            SELECT place, bytes FROM belfry_pieces WHERE segment = $1 AND place < $3 AND place >= coalesce(
                (SELECT max(place) FROM belfry_pieces WHERE segment = $1 AND place <= $2), 0)
            ORDER BY place
            """, [.number(id), .number(Int64(offset)), .number(Int64(end))], mayTakeLong: true)
        window = (rows.count == 0 ? offset : Int(rows.number(0, 0) ?? 0), [])
        for row in 0..<rows.count {
            // Behind a gap nothing is where it says.
            guard Int(rows.number(row, 0) ?? 0) == window.start + window.bytes.count else { return }
            window.bytes += rows.bytes(row, 1) ?? []
        }
    }
}
