import BelfryStore
import Foundation
import Testing

/// Somebody with very many signals: their ids fill pages, which are written once.
@Suite struct BusySubjectTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:shop.db
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Sale } ]
            """
        ])
    }

    private func run(_ numbers: Range<Int>, store: String = "shop.db", _ others: String...) throws -> String {
        let signals = numbers.map {
            #"{"id":"s-\#($0)","type":"app.backgrounded","subject":"ana","time":"2026-03-02T08:59:00Z"}"#
        }
        let arguments = ["run", "--summary", "json", "--store", "sqlite:\(store)"]
        let result = try place.belfry(arguments, input: Data((signals + others).asFile.utf8))
        try #require(result.status == 0, "\(result.errors)")
        return result.errors
    }

    private func open<Result>(_ name: String = "shop.db", _ body: (any RecordStore) throws -> Result) throws -> Result {
        let store = try StoreLocation.sqlite(path: place.file(name).path).open()
        defer { store.close() }
        return try body(store)
    }

    private func parts(_ name: String = "shop.db") throws -> [Int] { try open(name) { try $0.parts(of: "ana") } }

    private static let reset = #"{"type":"subject.reset","subject":"ana","time":"2026-03-02T10:00:00Z"}"#

    @Test func `every signal is known again, whenever it came`() throws {
        for start in stride(from: 0, to: 1000, by: 100) { _ = try run(start..<start + 100) }
        #expect(try parts() == [2, 3, 4, 5, 6, 7, 8])
        #expect(try run(0..<1000).contains(#""duplicates":1000,"#))
        #expect(try place.belfry("state", "show", "ana", "--json").output.contains(#""processedSignals":1000,"#))
        _ = try run(0..<1000, store: "whole.db")
        #expect(try open { try $0.record(for: "ana") } == open("whole.db") { try $0.record(for: "ana") })
    }

    @Test func `a reset forgets the pages, and those that come after it are others`() throws {
        _ = try run(0..<500)
        #expect(try run(500..<501, Self.reset).contains(#""processed":2,"#))
        #expect(try parts() == [])
        #expect(try run(0..<300).contains(#""processed":300,"#))
        #expect(try run(0..<300, Self.reset).contains(#""duplicates":300,"#))
    }

    @Test func `a record that somebody wrote in one piece is taken up, and is cut into pages again`() throws {
        _ = try run(0..<500)
        let before = try parts()
        try open { store in
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: store.record(for: "ana"))]))
        }
        #expect(try parts() == [])
        #expect(try run(0..<500).contains(#""duplicates":500,"#))
        _ = try run(500..<501)
        #expect(try parts() == before && before.count == 3)
        #expect(try run(0..<501).contains(#""duplicates":501,"#))
    }

    @Test func `a damaged page is found, and set aside with the rest of its record`() throws {
        _ = try run(0..<500)
        try open { store in
            var bytes = try #require(try store.record(for: "ana"))
            bytes[300] ^= 1
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes)]))
        }
        #expect(
            try place.belfry("state", "verify").output.hasPrefix(
                """
                the record of subject 'ana' is damaged
                  why: its checksum does not match: the bytes have changed
                """))
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        let aside = try open { try $0.setAside(of: "ana").map(\.bytes.count) }
        #expect(try aside.count == 1 && aside[0] > 4000 && parts() == [])
        #expect(try run(0..<500).contains(#""processed":500,"#))
    }

    @Test func `what changes seldom is written apart once it is large, and only when it changes`() throws {
        let text = String(repeating: "very ", count: 600)
        let attributes =
            #"{"type":"attributes.set","subject":"ana","time":"2026-03-02T08:00:00Z","data":{"values":{"fond":"\#(text)"}}}"#
        _ = try run(0..<1, attributes)
        #expect(try parts() == [0])
        let before = try open { try $0.record(for: "ana") }
        _ = try run(1..<200)
        let after = try open { try $0.record(for: "ana") }
        #expect(try parts() == [0, 2] && after?.prefix(3000) == before?.prefix(3000) && before != after)
        #expect(try place.belfry("state", "show", "ana").output.contains(text))
        _ = try run(200..<201, attributes.replacing(text, with: "little"))
        #expect(try parts() == [2])
        #expect(try place.belfry("state", "show", "ana").output.contains(#"user.fond = "little""#))
        #expect(try run(0..<201).contains(#""duplicates":201,"#))
    }

    @Test func `what is erased is gone with its pages`() throws {
        _ = try run(0..<500)
        #expect(try place.belfry("state", "erase", "ana").status == 0)
        #expect(try parts() == [] && Data(contentsOf: place.file("shop.db")).range(of: Data("BLFI".utf8)) == nil)
    }
}
