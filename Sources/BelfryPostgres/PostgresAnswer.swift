import CPostgres
import Glibc

/// What a server answers to one statement, waited for as long as there is hope.
///
/// A server that stands still, or a network that drops everything, closes no connection: nothing would ever come. The limit is for the time
/// without any progress and not for the whole, since what is large may take long on its way.
struct PostgresAnswer {
    private let functions: PostgresFunctions
    private let connection: OpaquePointer
    /// Where to ask whether the server is there; nil for a statement that one at work answers at once.
    private let address: PostgresAddress?

    /// How long nothing may come or go, in ms. As long as a lease holds: a writer that has heard nothing for so long may have lost it.
    static let patience = Int32(PostgresLease.milliseconds)

    /// - Parameter address: of the server, for a statement that it may think about for longer than `patience`, such as to count all records.
    ///   That one is given up when the server takes no connections either.
    init(_ functions: PostgresFunctions, _ connection: OpaquePointer, of address: PostgresAddress?) {
        (self.functions, self.connection, self.address) = (functions, connection, address)
    }

    /// The result of the one statement that was given to libpq, which may be that it failed.
    ///
    /// - Parameter isSent: whether libpq took it.
    /// - Throws: `unreachable`. The connection is of no use any more then.
    func result(isSent: Bool) throws(PostgresError) -> OpaquePointer? {
        var result: OpaquePointer?
        do throws(PostgresError) {
            guard isSent else { throw functions.lost(connection) }
            try flush()
            result = try next()
            // Until there is none behind it, libpq takes no other statement.
            while let other = try next() { functions.clear(other) }
        } catch {
            functions.clear(result)
            throw error
        }
        return result
    }

    /// Sends what libpq has kept because the server did not take it at once.
    private func flush() throws(PostgresError) {
        while true {
            switch functions.flush(connection) {
            case 0: return
            // While it sends, the server may be waiting until it is heard.
            case 1: try wait(for: POLLIN | POLLOUT)
            default: throw functions.lost(connection)
            }
        }
    }

    private func next() throws(PostgresError) -> OpaquePointer? {
        while functions.isBusy(connection) == 1 { try wait(for: POLLIN) }
        return functions.getResult(connection)
    }

    private func takeIn() throws(PostgresError) {
        guard functions.consumeInput(connection) == 1 else { throw functions.lost(connection) }
        // With TLS a part of what was decrypted may be left, which `poll` does not see.
        if functions.isBusy(connection) == 1, functions.consumeInput(connection) != 1 {
            throw functions.lost(connection)
        }
    }

    /// Waits until something comes, which libpq takes in then, or goes.
    private func wait(for events: Int32) throws(PostgresError) {
        while true {
            var socket = pollfd(fd: functions.socket(connection), events: Int16(events), revents: 0)
            let count = poll(&socket, 1, Self.patience)
            if count < 0, errno == EINTR { continue }
            if count == 0, let address, functions.takesConnections(like: connection, to: address) { continue }
            guard count == 1 else {
                throw PostgresError(.unreachable, "it has not answered for \(Self.patience / 1000) s")
            }
            // That a connection has ended is to be read, too.
            let hasCome = socket.revents & ~Int16(POLLOUT) != 0
            if hasCome { try takeIn() }
            return
        }
    }
}
