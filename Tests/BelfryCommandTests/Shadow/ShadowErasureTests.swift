import BelfryStore
import Foundation
import Testing

/// Whatever a shadow is doing, what is erased is erased there, too.
@Suite struct ShadowErasureTests {
    private let place: Workplace

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration(3), "other.yaml": Self.configuration(1)])
    }

    private static func configuration(_ most: Int) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        chain: [{ strategy: max-per-period, parameters: { max: \(most), period: 1d } }]
        campaigns: [{ id: hello, message: Hello }]
        """
    }

    private static func request(_ id: String, of subject: String) -> String {
        #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","data":{"campaign":"hello"}}"#
    }

    /// A service that has decided a request of ana and one of ben, and its shadow, too; both have ended.
    private func serve() async throws {
        let service = try LiveService(in: place, "--shadow", "other.yaml")
        for subject in ["ana", "ben"] {
            #expect(try await post("s-1", of: subject, to: service) == 200)
        }
        try await service.wait("/v1/shadow", for: #""compared":2"#)
        #expect(service.stop() == 0)
        #expect(try isInShadow("ana") && isInShadow("ben"))
    }

    private func post(_ id: String, of subject: String, to service: LiveService) async throws -> Int {
        try await service.post(Self.request(id, of: subject), as: "application/x-ndjson").status
    }

    private func erase(_ subject: String, by service: LiveService) async throws -> Int {
        try await service.send("DELETE", service.api + "/v1/subjects/\(subject)", [:]).status
    }

    private func isInShadow(_ subject: String) throws -> Bool {
        try place.belfry("state", "show", subject, "--store", "sqlite:belfry.db.shadow").status == 0
    }

    private func withStore(_ name: String, _ body: (SQLiteStore) throws -> Void) throws {
        let store = try SQLiteStore(path: place.file(name).path)
        defer { store.close() }
        try body(store)
    }

    @Test func `a service without a shadow erases from that of the one before`() async throws {
        try await serve()
        let service = try LiveService(in: place)
        #expect(try await erase("ana", by: service) == 200)
        #expect(service.stop() == 0)
        #expect(try !isInShadow("ana") && isInShadow("ben"))
    }

    @Test func `one that has failed is erased from`() async throws {
        try await serve()
        try withStore("belfry.db.shadow") {
            try $0.commit(StoreBatch(records: [RecordChange(subject: "ben", bytes: [1, 2, 3])]))
        }
        let service = try LiveService(in: place, "--shadow", "other.yaml")
        #expect(try await post("s-2", of: "ben", to: service) == 200)
        try await service.wait("/v1/shadow", for: #""state":"failed""#)
        #expect(try await erase("ana", by: service) == 200)
        #expect(service.stop() == 0)
        #expect(try !isInShadow("ana"))
    }

    @Test func `an erasure is answered when the shadow has erased, too`() async throws {
        try await serve()
        try withStore("belfry.db") { try $0.erase("ana", lastDecision: 9) }
        let service = try LiveService(in: place, "--shadow", "other.yaml")
        // Nothing is known of ana any more but there.
        #expect(try await erase("ana", by: service) == 200)
        #expect(try await erase("ana", by: service) == 404)
        #expect(service.stop() == 0)
        #expect(try !isInShadow("ana"))
    }

    @Test func `a shadow that cannot be opened is named`() async throws {
        try await serve()
        let service = try LiveService(in: place)
        // While this process has the store of the shadow open.
        let holder = try SQLiteStore(path: place.file("belfry.db.shadow").path)
        let refused = try await service.send("DELETE", service.api + "/v1/subjects/ana", [:])
        #expect(refused.status == 500 && refused.text.contains(#""code":"shadow-not-erased""#), "\(refused.text)")
        holder.close()
        // The store has erased; the shadow still is to.
        #expect(try await erase("ana", by: service) == 200)
        #expect(service.stop() == 0)
        #expect(try !isInShadow("ana"))
    }

    @Test func `the command erases what the shadow alone has`() async throws {
        try await serve()
        try withStore("belfry.db") { try $0.erase("ana", lastDecision: 9) }
        let plan = try place.belfry("state", "erase", "ana", "--dry-run")
        #expect(plan.output == "'ana' would be erased:\n  what the shadow has\n", "\(plan.errors)")
        let result = try place.belfry("state", "erase", "ana")
        #expect(result.status == 0 && result.output == "'ana' is erased:\n  what the shadow has\n", "\(result.errors)")
        #expect(try !isInShadow("ana") && isInShadow("ben"))
        let again = try place.belfry("state", "erase", "ana")
        #expect(again.status == 1 && again.errors.contains("there is no record of subject 'ana'"))
    }
}
