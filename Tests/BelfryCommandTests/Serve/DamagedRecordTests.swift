import BelfryStore
import Foundation
import Testing

/// A record in the store of a service that cannot be read.
@Suite struct DamagedRecordTests {
    private let place: Workplace

    /// That of `u0` is damaged; that of `u1` is not.
    init() async throws {
        let (place, service) = try ServiceTests.started()
        _ = try await service.post(ServiceTests.signals(0..<2), as: "application/x-ndjson")
        #expect(service.stop() == 0)
        let store = try SQLiteStore(path: place.file("belfry.db").path)
        var bytes = try #require(try store.record(for: "u0"))
        bytes[30] ^= 1
        try store.commit(StoreBatch(records: [RecordChange(subject: "u0", bytes: bytes)]))
        store.close()
        self.place = place
    }

    @Test(arguments: ["thread", "process"])
    func `what is asked about its subject is answered with the reason and what to do`(isolation: String) async throws {
        let service = try LiveService(in: place, "--isolation", isolation)
        for path in ["", "/history", "/loaded", "/export"] {
            expectUnreadable(try await service.get("/v1/subjects/u0" + path))
            #expect(try await service.get("/v1/subjects/u1" + path).status == 200, "\(path)")
        }
        expectUnreadable(
            try await service.post(
                #"{"subject":"u0","campaign":"hello"}"#, as: "application/json", to: "/v1/explain"))
        // It was not in the journal, so that the record is asked for its number.
        expectUnreadable(try await service.get("/v1/decisions/u0:9"))
        let flag = try await service.post(
            #"{"context":{"targetingKey":"u0"}}"#, as: "application/json", to: "/ofrep/v1/evaluate/flags/hello")
        #expect(flag.status == 500 && flag.fields["errorCode"] as? String == "GENERAL", "\(flag.text)")
        #expect((flag.fields["errorDetails"] as? String)?.contains(Self.reason) == true, "\(flag.text)")
    }

    private static let reason = "its checksum does not match: the bytes have changed"

    private func expectUnreadable(_ answer: LiveService.Answer) {
        #expect(answer.status == 500, "\(answer.text)")
        let found = ["code", "title", "found", "fix"].map { answer.fields[$0] as? String }
        let fix =
            "restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'"
        #expect(
            found == ["record-unreadable", "the record of subject 'u0' cannot be read", Self.reason, fix],
            "\(answer.text)")
    }
}
