import Foundation
import GRDB
import Testing

/// Erasures while another program reads the database, such as a backup: they are carried out, and say what is left.
@Suite struct UnfinishedErasureTests {
    /// - Returns: a connection that reads a store as it is now, until its transaction ends.
    private static func snapshot(of store: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: store.path, configuration: configuration)
        try reader.writeWithoutTransaction { db in
            try db.beginTransaction(.deferred)
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM records")
        }
        return reader
    }

    @Test func `a service goes on, and its answer says what is left`() async throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let service = try LiveService(in: place)
        _ = try await service.post(ServiceTests.signals(0..<3), as: "application/x-ndjson")
        let reader = try Self.snapshot(of: place.file("belfry.db"))
        let erased = try await service.send("DELETE", service.api + "/v1/subjects/u1", [:])
        #expect(erased.status == 200 && erased.fields["erased"] as? Bool == true, "\(erased.text)")
        let unfinished = erased.fields["unfinished"] as? String
        #expect(unfinished?.contains("another program reads the database as it was before") == true)
        #expect(try await service.send("DELETE", service.api + "/v1/subjects/u1", [:]).status == 404)
        #expect(try await service.manage("GET", "/readyz").status == 200)
        let again = try await service.post(ServiceTests.signals(3..<4), as: "application/x-ndjson").text
        #expect(again.contains(#""id":"s-3","status":"decided""#), "\(again)")
        try await reader.writeWithoutTransaction { try $0.commit() }
        #expect(service.stop() == 0)
    }

    @Test func `the command says what is left, and the next one that writes finishes it`() throws {
        let place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        let signals = ["ana@example.org", "ben"].map {
            #"{"id":"s","type":"notification.requested","subject":"\#($0)","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
        }
        #expect(try place.belfry("run", input: signals.asFile).status == 0)
        let reader = try Self.snapshot(of: place.file("belfry.db"))
        let result = try place.belfry("state", "erase", "ana@example.org")
        #expect(result.status == 1 && result.output.hasPrefix("'ana@example.org' is erased:\n"), "\(result.errors)")
        #expect(
            result.errors == """
                everything is erased, and its former bytes are still in the files of store 'belfry.db'
                  why: another program reads the database as it was before, such as a backup or a shell of SQLite
                  fix: have it end; the next checkpoint of a run or service overwrites them then, as does 'belfry state verify --repair'

                """)
        #expect(try place.belfry("state", "list").output == "ben\n")
        try reader.writeWithoutTransaction { try $0.commit() }
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        for name in ["belfry.db", "belfry.db-wal"] {
            let bytes = (try? Data(contentsOf: place.file(name))) ?? Data()
            #expect(bytes.range(of: Data("ana@example.org".utf8)) == nil, "\(name)")
        }
        withExtendedLifetime(reader) {}
    }
}
