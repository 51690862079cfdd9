import BelfryModel
import Foundation
import Testing

/// Digests and what is current, as strategies in Rust ask for them with the kit of `belfry plugins new` (docs/write-it-in-c-or-rust.md).
@Suite(.enabled(if: PluginFiles.hasRust, "there is no rustc on this machine"))
struct RustServicesTests {
    private static let shop = """
        app: shop
        plugins: { directories: [plugins] }
        chain:
          - { strategy: rust-gather, when: { campaign.id: mail }, parameters: { window: 15m, keep: 2 } }
          - { strategy: rust-gather, id: chat, when: { campaign.id: chat }, parameters: { window: 15m, leading: true, items: 2 } }
          - { strategy: rust-heed, when: { campaign.id: symptom }, parameters: { by: { campaign: outage } } }
        campaigns:
          - { id: mail, title: "{count} mails" }
          - { id: chat, title: "{count} chats" }
          - { id: outage, title: Outage, tags: [alarm, red] }
          - { id: symptom, title: Symptom }

        """

    private static func decisions(_ moments: (time: String, what: String)...) throws -> [JSON] {
        let place = try Workplace(["belfry.yaml": shop])
        try PluginFiles.compileRust("services", into: place.file("plugins"))
        let result = try place.belfry("run", input: moments.map { Story.signal($0.time, $0.what) }.asFile)
        #expect(result.status == 0, "\(result.errors)")
        return try result.lines.map { try JSON($0) }
    }

    private static func request(_ campaign: String, incident: Int) -> String {
        #"notification.requested {"campaign":"\#(campaign)","data":{"incident":\#(incident)}}"#
    }

    @Test func `what comes within the window rings as one, of which the newest are kept`() throws {
        let decisions = try Self.decisions(
            ("09:00:00", "request mail"), ("09:05:00", "request mail"), ("09:06:00", "request mail"),
            ("09:20:00", "clock.advanced"))
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 collected mail", "09:05:00 collected mail", "09:06:00 collected mail",
                "09:15:00 created mail/1",
            ])
        let data = try #require(decisions.last?["data"]?.map)
        #expect(data["title"] == "3 mails" && data["count"] == 3)
        #expect(data["items"]?.list?.map { $0.map?["cause"] } == ["2", "3"])
    }

    @Test func `a leading one opens a digest, which closes with its last item`() throws {
        let decisions = try Self.decisions(
            ("09:00:00", "request chat"), ("09:04:00", "request chat"), ("09:05:00", "request chat"))
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 created chat/1", "09:04:00 collected chat", "09:05:00 collected chat",
                "09:05:00 created chat/2",
            ])
        #expect(decisions.last?["data"]?.map?["title"] == "2 chats")
    }

    @Test func `what is current is known by its id, campaign, tags, data and time`() throws {
        let decisions = try Self.decisions(
            ("09:00:00", Self.request("outage", incident: 7)), ("09:01:00", Self.request("symptom", incident: 8)),
            ("09:02:00", Self.request("symptom", incident: 7)),
            ("09:03:00", #"notification.requested {"campaign":"outage","delete":true}"#),
            ("09:04:00", Self.request("symptom", incident: 7)))
        #expect(
            decisions.map(Story.brief) == [
                "09:00:00 created outage/1", "09:01:00 created symptom/1", "09:02:00 suppressed symptom by rust-heed",
                "09:03:00 deleted outage/1", "09:04:00 created symptom/2",
            ])
        let reasons = decisions[2]["data"]?.map?["reasons"]?.list
        #expect(reasons?.first?.map?["message"] == "outage/1 outage alarm+red 2026-03-02T09:00:00Z - of 2 mutes it")
    }

    @Test func `the plugin passes its own tests, and keeps to the contract`() throws {
        let place = try Workplace()
        let source = PluginFiles.repository.appending(path: "Tests/BelfryCommandTests/Plugins/services.rs").path
        try PluginFiles.compileRust("services", into: place.file("plugins"))
        let (status, output) = try place.shell(
            """
            set -e
            rustc --edition 2021 --test '\(source)' -o services
            ./services
            belfry plugins check plugins/services.so
            """)
        #expect(status == 0 && !output.contains("warning:"), "\(output)")
    }
}
