import CPostgres

extension PostgresFunctions {
    /// What libpq says of a text that it does not take repeats it, and a password may be in it.
    func takes(_ address: PostgresAddress) -> Bool { words(of: address) != nil }

    func connect(to address: PostgresAddress, writes: Bool) throws(PostgresError) -> OpaquePointer {
        var parameters = Self.parameters(of: address)
        if writes { parameters.append(("target_session_attrs", "read-write")) }
        let connection = withCStrings(parameters.map(\.0)) { keys in
            withCStrings(parameters.map(\.1)) { connectdbParams(keys, $0, 1) }
        }
        guard let connection else { throw PostgresError(.unreachable, "there is no memory for a connection") }
        // What matters comes as an error, too.
        _ = setNoticeProcessor(connection, { _, _ in }, nil)
        // Else what is sent, a farewell too, would wait until a server that stands still has room for it.
        _ = setnonblocking(connection, 1)
        if status(connection) == CONNECTION_OK { return connection }
        defer { finish(connection) }
        throw refusal(connection)
    }

    private static func parameters(of address: PostgresAddress) -> [(String, String)] {
        // What comes later goes before.
        [
            ("fallback_application_name", "belfry"), ("connect_timeout", "5"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
            ("client_encoding", "UTF8"), ("dbname", address.text),
        ]
    }

    /// Whether the server of a connection takes others, within 5 s.
    func takesConnections(like connection: OpaquePointer, to address: PostgresAddress) -> Bool {
        // Of several servers that an address may name, that one.
        let place = [("host", text(host(connection))), ("port", text(port(connection)))]
        let parameters = Self.parameters(of: address) + place
        let state = withCStrings(parameters.map(\.0)) { keys in
            withCStrings(parameters.map(\.1)) { pingParams(keys, $0, 1) }
        }
        return state == PQPING_OK || state == PQPING_REJECT
    }

    private func text(_ characters: UnsafeMutablePointer<CChar>?) -> String {
        characters.map { String(cString: $0) } ?? ""
    }

    /// Why the server refuses the connection.
    private func refusal(_ connection: OpaquePointer) -> PostgresError {
        let lost = lost(connection)
        let refusals = ["authentication failed", "no pg_hba.conf entry", "no password"]
        if refusals.contains(where: { lost.detail.contains($0) }) { return PostgresError(.permission, lost.detail) }
        // Of several servers, what each says is there: one that could be written to may have been out of reach.
        if lost.detail.contains("session is read-only") { return PostgresError(.readOnly, lost.detail) }
        return lost.detail.contains("does not exist") ? PostgresError(.missing, lost.detail) : lost
    }

    func lost(_ connection: OpaquePointer) -> PostgresError {
        PostgresError(.unreachable, text(errorMessage(connection)))
    }
}
