import CPostgres

/// One connection to a database. `PostgresConnection` lends it to one thread at a time.
public struct PostgresSession: ~Copyable, Sendable {
    private let functions: PostgresFunctions
    private let address: PostgresAddress
    // libpq allows one thread at a time, and the session is never copied.
    nonisolated(unsafe) private var state: State
    /// The names of the statements that the database has prepared.
    private var prepared: [String: String] = [:]

    private enum State {
        case open(OpaquePointer)
        /// Closed, and why.
        case lost(PostgresError)
    }

    init(_ address: PostgresAddress, writes: Bool) throws(PostgresError) {
        let functions = try PostgresLibrary.functions
        if !functions.takes(address) {
            throw PostgresError(.address, "it is no address of a database that libpq takes")
        }
        state = .open(try functions.connect(to: address, writes: writes))
        (self.functions, self.address) = (functions, address)
    }

    deinit {
        if case .open(let connection) = state { functions.finish(connection) }
    }

    /// Why it cannot be used any more.
    var loss: PostgresError? { if case .lost(let error) = state { error } else { nil } }

    private var opened: OpaquePointer {
        get throws(PostgresError) {
            switch state {
            case .open(let connection): return connection
            case .lost(let error): throw error
            }
        }
    }

    /// Runs a statement.
    ///
    /// - Parameter mayTakeLong: whether a server at work may say nothing for longer than `PostgresAnswer.patience`.
    /// - Throws: `unreachable` also where no answer comes. The session cannot be used any more then, and the server may still do what it was
    ///   sent.
    @discardableResult
    public mutating func run(
        _ sql: String, _ values: [PostgresValue] = [], mayTakeLong: Bool = false
    ) throws(PostgresError) -> PostgresRows {
        let name = try prepare(sql, values)
        let binary = values.map(\.binary)
        let lengths = binary.map { Int32($0?.count ?? 0) }
        let formats = values.map { _ in Int32(1) }
        let connection = try opened
        let isSent = withPointers(to: binary) { [functions] pointers in
            functions.sendQueryPrepared(connection, name, Int32(values.count), pointers, lengths, formats, 1)
        }
        return try finish(isSent, mayTakeLong: mayTakeLong)
    }

    /// Waits for the answer to what was sent just now.
    private mutating func finish(_ isSent: Int32, mayTakeLong: Bool) throws(PostgresError) -> PostgresRows {
        let connection = try opened
        let answer = PostgresAnswer(functions, connection, of: mayTakeLong ? address : nil)
        do throws(PostgresError) {
            return try rows(of: answer.result(isSent: isSent == 1), on: connection)
        } catch {
            guard error.code == .unreachable else { throw error }
            // The server sees that, whenever it goes on: what it has not carried out by then it lets be. Whether what it was sent came true
            // is not known, as where a connection breaks.
            functions.finish(connection)
            state = .lost(error)
            throw error
        }
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
        let isSent = functions.sendPrepare(try opened, name, sql, Int32(values.count), values.map(\.type))
        _ = try finish(isSent, mayTakeLong: false)
        prepared[sql] = name
        return name
    }

    private func rows(of result: OpaquePointer?, on connection: OpaquePointer) throws(PostgresError) -> PostgresRows {
        guard let result else { throw functions.lost(connection) }
        defer { functions.clear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(functions.resultStatus(result)) else {
            throw failure(result, on: connection)
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

    private func failure(_ result: OpaquePointer, on connection: OpaquePointer) -> PostgresError {
        if functions.status(connection) != CONNECTION_OK {
            return functions.lost(connection)
        }
        let field = { [functions] (code: Int32) in functions.resultErrorField(result, code).map { String(cString: $0) }
        }
        return PostgresError(
            state: field(PG_DIAG_SQLSTATE) ?? "", field(PG_DIAG_MESSAGE_PRIMARY) ?? "it does not say why")
    }
}
