import BelfryPostgres
import BelfryStore
import Foundation
import Testing

@Suite struct StoreLocationTests {
    @Test(arguments: [
        ("memory", StoreLocation.memory), ("memory:", .memory), ("sqlite:x.db", .sqlite(path: "x.db")),
        ("sqlite:/var/lib/x.db", .sqlite(path: "/var/lib/x.db")), ("sqlite:a:b.db", .sqlite(path: "a:b.db")),
        ("", nil), ("sqlite", nil), ("sqlite:", nil), ("Memory", nil), ("memory:x", nil), ("x.db", nil),
        ("redis:x", nil),
    ])
    func `a location is memory, or a path after sqlite`(text: String, location: StoreLocation?) {
        #expect(StoreLocation(text) == location)
    }

    @Test(arguments: [
        ("sqlite:x.db", "/etc/belfry", "sqlite:/etc/belfry/x.db"), ("sqlite:x.db", "shop/", "sqlite:shop/x.db"),
        ("sqlite:x.db", "", "sqlite:x.db"), ("sqlite:/x.db", "/etc", "sqlite:/x.db"),
        ("memory:", "/etc", "memory"),
    ])
    func `a relative path is taken from a folder`(text: String, folder: String, resolved: String) throws {
        #expect(try #require(StoreLocation(text)).resolved(against: folder).description == resolved)
    }

    @Test(arguments: [
        ("postgres://belfry@127.0.0.1:1/shop", "postgres://belfry@127.0.0.1:1/shop"),
        ("postgresql://belfry:SECRET@127.0.0.1:1/shop", "postgres://belfry@127.0.0.1:1/shop"),
        ("postgres://belfry@/shop?host=/none&password=SECRET", "postgres://belfry@/shop?host=/none"),
        ("postgres:hostaddr=127.0.0.1 port=1 password = SECRET dbname=shop", "postgres://127.0.0.1:1/shop"),
        (
            "postgres://127.0.0.1:1/shop?pass%77ord=SECRET&options=-csearch_path%3Dx",
            "postgres://127.0.0.1:1/shop?options=-csearch_path=x"
        ),
        ("postgres://db/shop?PASSWORD=SECRET", "postgres:…"), ("postgres://belfry:pa%zzSECRET@db/x", "postgres:…"),
        ("postgres:nonsense SECRET", "postgres:…"), ("postgres://belfry:ab@SECRET@db/x", nil),
        ("postgres://belfry:12/SECRET@db/x", nil), ("postgres:", nil), ("postgres://", nil), ("POSTGRES://db/x", nil),
    ])
    func `the address of a database is shown without its password`(text: String, shown: String?) {
        #expect(StoreLocation(text)?.description == shown)
        if let address = PostgresAddress(text) {
            let error = #expect(throws: PostgresError.self) { try PostgresConnection(address) }
            #expect(error?.detail.contains("SECRET") == false)
        }
    }

    @Test func `a location opens what it names`() throws {
        let folder = try TemporaryFolder()
        #expect(try StoreLocation.memory.open() is MemoryStore)
        #expect(try StoreLocation.sqlite(path: folder.path("x.db")).open() is SQLiteStore)
        #expect(try Set(folder.contents) == ["x.db"])
    }

    @Test func `whether it is free is told without taking it, also where a crash left the lock behind`() throws {
        let folder = try TemporaryFolder()
        let location = StoreLocation.sqlite(path: folder.path("x.db"))
        let store = try location.open()
        for _ in 1...2 {
            let error = #expect(throws: StoreError.self) { try location.checkThatItIsFree() }
            #expect(error?.code == .locked)
        }
        store.close()
        try location.checkThatItIsFree()
        #expect(try folder.contents == ["x.db"])
        try Data("1\n".utf8).write(to: URL(filePath: folder.path("x.db.lock")))
        try location.checkThatItIsFree()
        try location.open().close()
    }

    @Test func `there is nothing to read in memory`() throws {
        let error = #expect(throws: StoreError.self) { try StoreLocation.memory.open(readOnly: true) }
        #expect(error?.code == .missing)
        #expect(
            error?.description == """
                cannot open store 'memory'
                  why: a memory store ends with the process that made it, so there is nothing to read
                  fix: name the store that 'belfry run' keeps, as sqlite:PATH
                """)
    }
}
