import BelfryStore
import Foundation
import Testing

/// A subject with very many signals: their ids are remembered for a while, and the record stays as small as what it remembers.
@Suite struct BusySubjectTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:shop.db
            duplicates: { remember: 1h }
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Sale } ]
            """
        ])
    }

    private func run(
        _ numbers: Range<Int>, at time: String = "08:59", store: String = "shop.db", _ others: String...
    ) throws -> String {
        let signals = numbers.map {
            #"{"id":"s-\#($0)","type":"app.backgrounded","subject":"ana","time":"2026-03-02T\#(time):00Z"}"#
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

    private func record(_ name: String = "shop.db") throws -> [UInt8]? { try open(name) { try $0.record(for: "ana") } }

    private static let reset = #"{"type":"subject.reset","subject":"ana","time":"2026-03-02T10:00:00Z"}"#

    @Test func `every signal is known again, whenever it came`() throws {
        for start in stride(from: 0, to: 1000, by: 100) { _ = try run(start..<start + 100) }
        #expect(try run(0..<1000).contains(#""duplicates":1000,"#))
        #expect(try place.belfry("state", "show", "ana", "--json").output.contains(#""processedSignals":1000,"#))
        _ = try run(0..<1000, store: "whole.db")
        #expect(try record() == record("whole.db"))
    }

    @Test func `a signal that came too long ago is another one, and the record gets small again`() throws {
        _ = try run(0..<1000)
        let full = try #require(try record()).count
        _ = try run(1000..<1001, at: "09:58")
        #expect(try run(0..<10, at: "09:58").contains(#""duplicates":10,"#))
        // Half-open: an hour later they are forgotten.
        #expect(try run(0..<10, at: "09:59").contains(#""processed":10,"#))
        #expect(try run(1000..<1001, at: "09:59").contains(#""duplicates":1,"#))
        // What is forgotten goes by and by, at least every half hour.
        _ = try run(1001..<1002, at: "10:28")
        #expect(try #require(try record()).count < full / 10)
    }

    @Test func `a reset forgets them`() throws {
        _ = try run(0..<500)
        #expect(try run(500..<501, Self.reset).contains(#""processed":2,"#))
        #expect(try run(0..<300).contains(#""processed":300,"#))
        #expect(try run(0..<300, Self.reset).contains(#""duplicates":300,"#))
    }

    @Test func `a damaged record is found, and comes into quarantine as a whole`() throws {
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
        let quarantined = try open { try $0.quarantined(of: "ana").map(\.bytes.count) }
        #expect(quarantined.count == 1 && quarantined[0] > 4000)
        #expect(try run(0..<500).contains(#""processed":500,"#))
    }

    @Test func `what is erased is gone, and the numbers of decisions go on`() throws {
        let ask =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        func decide() throws -> String { try place.belfry("run", "--store", "sqlite:shop.db", input: ask).output }
        _ = try run(0..<500)
        #expect(try decide().contains(#""id":"ana:1","#))
        #expect(try place.belfry("state", "erase", "ana").status == 0)
        #expect(try record() == nil && Data(contentsOf: place.file("shop.db")).range(of: Data("ana".utf8)) == nil)
        #expect(try decide().contains(#""id":"ana:2","#))
    }
}
