import Foundation
import Synchronization

/// A PostgreSQL server of its own for tests, which ends with the process, however that ends.
public final class PostgresServer: Sendable {
    private let folder: String
    private let schemas = Mutex(0)

    /// One for all tests of a process.
    public static let shared = Result { try PostgresServer() }

    public init() throws {
        folder = NSTemporaryDirectory() + "belfry-postgres-\(UUID().uuidString.prefix(8))"
        // initdb and the server refuse to run as root.
        try run(
            """
            mkdir '\(folder)'
            chmod 777 '\(folder)'
            \(Self.user) "$bin/initdb" --pgdata='\(folder)/data' --username=belfry --auth=trust --no-sync >/dev/null
            """)
        try start()
        guardServer()
    }

    private static let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups" : ""

    /// Starts a process that ends the server when its input ends, at the latest with this process.
    private func guardServer() {
        let script = "trap '' HUP INT TERM; cat >/dev/null; kill -9 $(\(Self.processes(folder))); rm -rf '\(folder)'"
        popen(Self.command(script), "we")
    }

    /// Prints the numbers of the server and of all who work for it.
    private static func processes(_ folder: String) -> String {
        "server=$(head -1 '\(folder)/data/postmaster.pid'); echo $server; cat /proc/$server/task/$server/children"
    }

    /// Starts it, also after `kill`, and waits until it takes connections.
    public func start() throws {
        try run(
            """
            for turn in $(seq 100); do
            rm -f '\(folder)/data/postmaster.pid'
            \(Self.user) "$bin/pg_ctl" -D '\(folder)/data' -l '\(folder)/data/log' -w \
                -o "-k '\(folder)' -c listen_addresses= -c fsync=off -c max_connections=300" start >/dev/null && exit 0
            # One that was forked while the others were killed has to notice first that it is alone.
            sleep 0.2
            done
            exit 1
            """)
    }

    /// Kills the server and all who work for it, as a machine that fails would.
    public func kill() throws {
        try run(
            """
            processes=$(\(Self.processes(folder)))
            kill -9 $processes 2>/dev/null || true
            for process in $processes; do while kill -0 $process 2>/dev/null; do sleep 0.01; done; done
            """)
    }

    /// Has the server and all of its processes stand still, with their connections open, or go on.
    public func pause() throws {
        // The server first, which begins the others, so that no process is missing from the list.
        try run(
            """
            kill -STOP $(head -1 '\(folder)/data/postmaster.pid')
            kill -STOP $(\(Self.processes(folder))) 2>/dev/null || true
            """)
    }

    public func resume() throws { try run("kill -CONT $(\(Self.processes(folder))) 2>/dev/null || true") }

    /// A place where nothing is yet, as a store is named.
    public func store() throws -> String {
        let number = schemas.withLock { number in
            number += 1
            return number
        }
        _ = try query("CREATE SCHEMA s\(number)")
        return "postgresql://belfry@/postgres?host=\(folder)&options=-csearch_path%3Ds\(number)"
    }

    /// What the database answers, a line for each row.
    ///
    /// - Parameter store: one of `store`; nil: none of them.
    public func query(_ sql: String, in store: String? = nil) throws -> [String] {
        let address = store ?? "postgresql://belfry@/postgres?host=\(folder)"
        let output = try run("\"$bin/psql\" -XAtq -v ON_ERROR_STOP=1 '\(address)' <<'EOF'\n\(sql)\nEOF")
        return output.split(separator: "\n").map(String.init)
    }

    /// Not by a `Process` of Foundation, which waits for all that the program leaves running.
    @discardableResult
    private func run(_ script: String) throws -> String {
        // The programs are where only those look who run a server.
        let whole = "set -e; bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)\n" + script
        guard let output = popen(Self.command(whole), "re") else { throw ServerFailure(script: script, status: errno) }
        var (text, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = fread(&piece, 1, piece.count, output), count > 0 { text += piece.prefix(count) }
        let status = pclose(output)
        if status != 0 { throw ServerFailure(script: script, status: status) }
        return String(decoding: text, as: UTF8.self)
    }
}

extension PostgresServer {
    /// A command that runs a script with none of the descriptors that tests have open: a server would keep them open, and has too few left.
    fileprivate static func command(_ script: String) -> String {
        let closing =
            "for file in /proc/self/fd/*; do number=${file##*/}; [ $number -gt 2 ] && eval \"exec $number>&-\"; done"
        let quoted = "\(closing)\n\(script)".split(separator: "'", omittingEmptySubsequences: false)
        return "exec bash -c '" + quoted.joined(separator: #"'\''"#) + "'"
    }
}

struct ServerFailure: Error {
    let script: String
    let status: Int32
}
