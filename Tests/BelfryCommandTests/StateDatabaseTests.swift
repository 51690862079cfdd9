import BelfryModel
import BelfryPostgres
import BelfryStore
import Foundation
import PostgresServer
import Testing

/// `belfry state` over a store in a database.
@Suite struct StateDatabaseTests {
    private let server: PostgresServer
    private let store: String
    private let place: Workplace

    init() throws {
        server = try PostgresServer.shared.get()
        store = try server.store()
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            campaigns: [ { id: sale } ]
            """
        ])
    }

    private func run() throws {
        let signals = ["ana", "ben"].map {
            #"{"type":"notification.requested","subject":"\#($0)","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        }
        let result = try place.belfry("run", "--store", store, input: signals.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test func `a journal that is cut is repaired as beside a file`() throws {
        try run()
        _ = try server.query("DELETE FROM belfry_pieces WHERE place > 0", in: store)
        let result = try place.belfry("state", "verify", "--store", store)
        #expect(result.status == 1 && result.output.contains("its journal is damaged: it ends with entry "))
        #expect(
            result.errors == """
                not everything in the store can be used
                  why: faults of the store as a whole: 1
                  fix: restore store and journal together from a copy, or go on without what the journal has after the last \
                checkpoint: 'belfry state verify --repair'

                """)
        #expect(try place.belfry("state", "verify", "--repair", "--store", store).status == 0)
        #expect(try place.belfry("state", "verify", "--store", store).output == "records: 2, 2 good\n")
    }
}
