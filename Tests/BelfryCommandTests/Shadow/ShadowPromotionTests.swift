import BelfryStore
import Foundation
import Testing

/// A promotion where records are missing, or cannot be read.
@Suite struct ShadowPromotionTests {
    private let place: Workplace

    /// Ana has had two decisions, and ben one.
    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration(3), "other.yaml": Self.configuration(1)])
        let signals = [Self.request("s-1", "ana"), Self.request("s-2", "ana"), Self.request("s-3", "ben")]
        let result = try place.belfry("run", "--shadow", "other.yaml", input: signals.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    private static func configuration(_ most: Int) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        chain: [{ strategy: max-per-period, parameters: { max: \(most), period: 1d } }]
        campaigns: [{ id: hello, message: Hello }]
        """
    }

    private static func request(_ id: String, _ subject: String, at time: String = "09:00") -> String {
        #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","time":"2026-03-02T\#(time):00Z","data":{"campaign":"hello"}}"#
    }

    private func withStore(_ name: String, _ body: (SQLiteStore) throws -> Void) throws {
        let store = try SQLiteStore(path: place.file(name).path)
        defer { store.close() }
        try body(store)
    }

    private func damage(_ subject: String, in name: String) throws {
        try withStore(name) { try $0.commit(StoreBatch(records: [RecordChange(subject: subject, bytes: [1, 2, 3])])) }
    }

    private func promote() throws -> Command.Result { try place.belfry("state", "promote") }

    private func status(_ arguments: String...) throws -> Int32 { try place.belfry(arguments, input: Data()).status }

    /// The id of the next decision about ana.
    private func nextID() throws -> String? {
        let signal = Self.request("s-9", "ana", at: "10:00")
        let result = try place.belfry("run", "--config", "other.yaml", input: [signal].asFile)
        return try result.lines.first.flatMap { try JSON($0)["id"]?.text }
    }

    @Test func `ids go on behind a record in quarantine`() throws {
        try damage("ana", in: "belfry.db")
        #expect(try status("state", "verify", "--repair") == 0)
        #expect(try promote().status == 0)
        #expect(try nextID() == "ana:\(QuarantinedRecord.decisions + 1)")
    }

    @Test func `who was erased from the store alone does not come back`() throws {
        try withStore("belfry.db") { try $0.erase("ana", lastDecision: 2) }
        #expect(try promote().status == 0)
        for store in ["sqlite:belfry.db", "sqlite:belfry.db.shadow"] {
            #expect(try place.belfry("state", "list", "--store", store).output == "ben\n")
        }
        #expect(try nextID() == "ana:3")
    }

    @Test(arguments: ["belfry.db", "belfry.db.shadow"])
    func `a damaged record is found before a promotion begins`(name: String) throws {
        try damage("ben", in: name)
        let refused = try promote()
        #expect(refused.status == 1 && refused.errors.contains("nothing was changed"), "\(refused.errors)")
        #expect(refused.errors.contains("'ben'") && refused.errors.contains("\(name)'"), "\(refused.errors)")
        #expect(try status("state", "list") == 0)
        #expect(try status("state", "verify", "--repair", "--store", "sqlite:\(name)") == 0)
        #expect(try promote().status == 0)
    }

    @Test func `one that meets damage goes on when that is put right`() throws {
        try damage("ben", in: "belfry.db")
        try withStore("belfry.db") { try $0.commit(StoreBatch(meta: ["promotion": [1]])) }
        #expect(try promote().status == 1)
        #expect(try status("state", "list") == 1)
        #expect(try status("state", "verify", "--repair") == 0)
        #expect(try promote().status == 0)
        #expect(try place.belfry("state", "list").output == "ana\nben\n")
    }
}
