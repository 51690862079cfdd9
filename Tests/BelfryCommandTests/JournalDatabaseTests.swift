import BelfryModel
import PostgresServer
import Testing

/// Signals of a journal in a database, decided again.
@Suite struct JournalDatabaseTests {
    private let store: String
    private let place: Workplace

    init() throws {
        store = try PostgresServer.shared.get().store() + "&password=secret"
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            campaigns: [ { id: sale } ]
            """
        ])
    }

    @Test func `they are decided alike, and named without the password`() throws {
        let signals = ["ana", "ben", "ana"].enumerated().map {
            #"{"id":"\#($0)","type":"notification.requested","subject":"\#($1)","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        }
        let first = try place.belfry("run", "--store", store, input: signals.asFile)
        let again = try place.belfry("run", "--signals", "journal:\(store)", "--store", "memory:")
        #expect(again.status == 0 && again.lines.count == 3 && again.lines == first.lines, "\(again.errors)")
        let simulated = try place.belfry(
            "simulate", "--signals", "journal:\(store)", "--against", "belfry.yaml", "--json")
        let source = try JSON(simulated.output)["signals"]?.map
        #expect(source?["lines"] == 3, "\(simulated.errors)")
        #expect(source?["file"]?.text?.hasPrefix("journal:postgres://") == true)
        #expect(!(simulated.output + simulated.errors).contains("secret"))
    }

    @Test func `without a store there is nothing to read, in words`() throws {
        let result = try place.belfry("run", "--signals", "journal:\(store)", "--store", "memory:")
        #expect(result.status == 1 && result.errors.contains("there is no store in it"), "\(result.errors)")
        #expect(!result.errors.contains("secret"))
    }
}
