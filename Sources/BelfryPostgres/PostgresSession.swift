import CPostgres
import Glibc

/// One connection to a database. `PostgresConnection` lends it to one thread at a time.
public struct PostgresSession: ~Copyable, Sendable {
    private let functions: PostgresFunctions
    // libpq allows one thread at a time, and the session is never copied.
    nonisolated(unsafe) private let connection: OpaquePointer
    /// The names of the statements that the database has prepared.
    private var prepared: [String: String] = [:]

    init(_ address: PostgresAddress, writes: Bool) throws(PostgresError) {
        let functions = try PostgresLibrary.functions
        if !functions.takes(address) {
            throw PostgresError(.address, "it is no address of a database that libpq takes")
        }
        connection = try functions.connect(to: address, writes: writes)
        self.functions = functions
    }

    deinit { functions.finish(connection) }

    /// Runs a statement without parameters that a server at work answers at once.
    ///
    /// - Throws: `unreachable` if it does not answer in time. The session cannot be used any more then.
    mutating func run(_ sql: String, within milliseconds: Int32) throws(PostgresError) -> PostgresRows {
        let name = try prepare(sql, [])
        guard functions.sendQueryPrepared(connection, name, 0, nil, nil, nil, 1) == 1 else {
            throw functions.lost(connection)
        }
        let rows = try rows(of: try nextResult(within: milliseconds))
        // Behind the last one is none.
        while let next = try nextResult(within: milliseconds) { functions.clear(next) }
        return rows
    }

    private func nextResult(within milliseconds: Int32) throws(PostgresError) -> OpaquePointer? {
        while functions.isBusy(connection) == 1 {
            var answer = pollfd(fd: functions.socket(connection), events: Int16(POLLIN), revents: 0)
            let count = poll(&answer, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                throw PostgresError(.unreachable, "it has not answered for \(milliseconds / 1000) s")
            }
            guard functions.consumeInput(connection) == 1 else { throw functions.lost(connection) }
        }
        return functions.getResult(connection)
    }

    @discardableResult
    public mutating func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        let name = try prepare(sql, values)
        let binary = values.map(\.binary)
        let lengths = binary.map { Int32($0?.count ?? 0) }
        let formats = values.map { _ in Int32(1) }
        let result = withPointers(to: binary) { [functions, connection] pointers in
            functions.execPrepared(connection, name, Int32(values.count), pointers, lengths, formats, 1)
        }
        return try rows(of: result)
    }

    mutating func transaction(_ body: (inout PostgresSession) throws(PostgresError) -> Void) throws(PostgresError) {
        try run("BEGIN")
        do throws(PostgresError) {
            try body(&self)
        } catch {
            _ = try? run("ROLLBACK")
            throw error
        }
        try run("COMMIT")
    }

    private mutating func prepare(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> String {
        if let known = prepared[sql] { return known }
        let name = "s\(prepared.count)"
        _ = try rows(of: functions.prepare(connection, name, sql, Int32(values.count), values.map(\.type)))
        prepared[sql] = name
        return name
    }

    private func rows(of result: OpaquePointer?) throws(PostgresError) -> PostgresRows {
        guard let result else { throw functions.lost(connection) }
        defer { functions.clear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(functions.resultStatus(result)) else {
            throw failure(result)
        }
        let (count, columns) = (functions.ntuples(result), functions.nfields(result))
        var cells: [[UInt8]?] = []
        cells.reserveCapacity(Int(count * columns))
        for row in 0..<count {
            for column in 0..<columns { cells.append(cell(of: result, row, column)) }
        }
        let changed = functions.cmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        return PostgresRows(count: Int(count), columns: Int(columns), changed: changed, cells: cells)
    }

    private func cell(of result: OpaquePointer, _ row: Int32, _ column: Int32) -> [UInt8]? {
        if functions.getisnull(result, row, column) != 0 { return nil }
        let start = UnsafeRawPointer(functions.getvalue(result, row, column))
        return [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(functions.getlength(result, row, column))))
    }

    private func failure(_ result: OpaquePointer) -> PostgresError {
        if functions.status(connection) != CONNECTION_OK {
            return functions.lost(connection)
        }
        let field = { [functions] (code: Int32) in functions.resultErrorField(result, code).map { String(cString: $0) }
        }
        return PostgresError(
            state: field(PG_DIAG_SQLSTATE) ?? "", field(PG_DIAG_MESSAGE_PRIMARY) ?? "it does not say why")
    }
}

extension PostgresFunctions {
    /// What libpq says of a text that it does not take repeats it, and a password may be in it.
    fileprivate func takes(_ address: PostgresAddress) -> Bool { words(of: address) != nil }

    fileprivate func connect(to address: PostgresAddress, writes: Bool) throws(PostgresError) -> OpaquePointer {
        // What comes later goes before.
        var parameters = [
            ("fallback_application_name", "belfry"), ("connect_timeout", "5"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("client_encoding", "UTF8"), ("dbname", address.text),
        ]
        if writes { parameters.append(("target_session_attrs", "read-write")) }
        let connection = withCStrings(parameters.map(\.0)) { keys in
            withCStrings(parameters.map(\.1)) { connectdbParams(keys, $0, 1) }
        }
        guard let connection else { throw PostgresError(.unreachable, "there is no memory for a connection") }
        // What matters comes as an error, too.
        _ = setNoticeProcessor(connection, { _, _ in }, nil)
        if status(connection) == CONNECTION_OK { return connection }
        defer { finish(connection) }
        throw refusal(connection)
    }

    /// Why the server refuses the connection.
    private func refusal(_ connection: OpaquePointer) -> PostgresError {
        let lost = lost(connection)
        let refusals = ["authentication failed", "no pg_hba.conf entry", "no password"]
        if refusals.contains(where: { lost.detail.contains($0) }) { return PostgresError(.permission, lost.detail) }
        return lost.detail.contains("does not exist") ? PostgresError(.missing, lost.detail) : lost
    }

    fileprivate func lost(_ connection: OpaquePointer) -> PostgresError {
        PostgresError(.unreachable, errorMessage(connection).map { String(cString: $0) } ?? "")
    }
}

/// Lends texts as C has them, with a null behind the last one.
private func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    withPointers(to: texts.map { Array($0.utf8) + [0] } + [nil], body)
}

/// Lends where each of several bytes begins; null for nil.
private func withPointers<Result>(
    to values: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    // In one buffer, so that one is lent and not one for each. Behind each is a zero: none is empty, which would be null.
    var joined: [UInt8] = []
    joined.reserveCapacity(values.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
    for value in values {
        // As a whole, since the server waits in a transaction, and not for long.
        joined += value ?? []
        joined.append(0)
    }
    return joined.withUnsafeBytes { bytes in
        var next = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        var pointers: [UnsafePointer<CChar>?] = []
        for value in values {
            pointers.append(value == nil ? nil : next)
            next = next.map { $0 + (value?.count ?? 0) + 1 }
        }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
