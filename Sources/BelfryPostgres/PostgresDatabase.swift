/// A database that has a store in it: records, journal, and the lease of the process that writes to them.
///
/// Whatever is written is written under the lease (`write`). Any thread may call.
public final class PostgresDatabase: Sendable {
    /// For messages.
    public let name: String
    /// Nil where nothing is written.
    public let lease: PostgresLease?
    /// For what is only read.
    public let reading: PostgresConnection
    /// For records; nil where nothing is written.
    private let records: PostgresConnection?
    /// For the journal, which does not wait for records; nil where nothing is written.
    private let journal: PostgresConnection?

    public enum Part: Sendable {
        case records, journal
    }

    /// Connects to a store for reading. Another process may be writing to it.
    ///
    /// - Throws: `missing` if there is none.
    public init(reading address: PostgresAddress) throws(PostgresError) {
        (name, lease, records, journal) = (address.description, nil, nil, nil)
        reading = try PostgresConnection(address)
        try PostgresSchema.check(reading)
    }

    /// Connects to a store for writing, and takes its lease.
    ///
    /// - Parameter creates: whether to make a store where there is none.
    /// - Throws: `fenced` while another process has the lease.
    public init(writing address: PostgresAddress, creates: Bool) throws(PostgresError) {
        name = address.description
        reading = try PostgresConnection(address, writes: true)
        if creates { try PostgresSchema.create(reading) }
        try PostgresSchema.check(reading)
        lease = try PostgresLease(PostgresConnection(address, writes: true))
        records = try PostgresConnection(address, writes: true)
        journal = try PostgresConnection(address, writes: true)
    }

    /// Makes several changes, all of them or none, as long as this process has the lease.
    ///
    /// - Parameter waits: whether it waits until they are on the disk.
    /// - Throws: `fenced` if another process has taken it.
    public func write(
        _ part: Part, waits: Bool = true, _ body: (inout PostgresSession) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        guard let lease, let connection = part == .records ? records : journal else {
            throw Self.notForWriting
        }
        try connection.transaction { session throws(PostgresError) in
            try lease.check(in: &session)
            if !waits { try session.run("SET LOCAL synchronous_commit = off") }
            try body(&session)
        }
    }

    /// Adds to the journal in one step, as long as this process has the lease.
    ///
    /// - Parameters:
    ///   - sql: a statement over `lease`, which is empty if this process does not have it; its parameters begin with `$2`.
    ///   - mayTakeLong: whether a server at work may say nothing for longer than 5 s.
    /// - Throws: `fenced` if another process has taken it.
    public func writePiece(
        _ sql: String, _ values: [PostgresValue], mayTakeLong: Bool = false
    ) throws(PostgresError) {
        guard let lease, let journal else { throw Self.notForWriting }
        let whole = "WITH lease AS (\(PostgresLease.share)) \(sql)"
        let rows = try journal.run(whole, [.number(lease.term)] + values, mayTakeLong: mayTakeLong)
        if rows.changed == 0 { throw PostgresError(.fenced, "") }
    }

    /// - Throws: why this process cannot go on with it, as far as it has noticed: another one has the lease, or a connection is lost, which no
    ///   statement brings back.
    public func check() throws(PostgresError) {
        try lease?.check()
        for connection in [reading, records, journal] { try connection?.check() }
    }

    private static let notForWriting = PostgresError(.failed, "it was opened for reading")

    /// Lets others write at once.
    public func close() { lease?.end() }
}
