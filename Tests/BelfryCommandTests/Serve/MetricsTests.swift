import Foundation
import Testing

/// What a service tells Prometheus.
@Suite struct MetricsTests {
    private static func configuration(campaigns: Int) -> String {
        """
        app: shop
        store: sqlite:belfry.db
        chain:
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
          - { strategy: max-per-period, id: daily-cap, control: observer, parameters: { max: 1, period: 1d } }
        campaigns:

        """
            + (0..<campaigns).map { "  - { id: c-\($0), message: Hello, triggers: [ { on: request } ] }\n" }.joined()
    }

    private static func signals(of subjects: Range<Int>, campaigns: Int) -> String {
        (0..<campaigns).flatMap { campaign in
            subjects.map { subject in
                #"{"id":"\#(campaign)-\#(subject)","type":"notification.requested","subject":"u\#(subject % 2)","#
                    + #""data":{"campaign":"c-\#(campaign)"}}"#
            }
        }.joined(separator: "\n")
    }

    /// By their names and labels.
    private func samples(_ service: LiveService) async throws -> [String: Double] {
        let lines = try await service.manage("GET", "/metrics").text.split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let space = line.lastIndex(of: " ")!
                return (String(line[..<space]), Double(line[line.index(after: space)...]) ?? .nan)
            })
    }

    @Test(arguments: ["thread", "process"])
    func `each refusal is counted by its entry and code, each candidate by its campaign`(isolation: String) async throws
    {
        let began = Date().timeIntervalSince1970
        let place = try Workplace(["belfry.yaml": Self.configuration(campaigns: 2)])
        let service = try LiveService(in: place, "--isolation", isolation, "--shards", "2")
        _ = try await service.post(Self.signals(of: 0..<4, campaigns: 2), as: "application/x-ndjson")
        let samples = try await samples(service)
        for campaign in ["c-0", "c-1"] {
            let name = #"belfry_campaign_decisions_total{campaign="\#(campaign)",type="notification."#
            #expect(samples[name + #"created"}"#] == 2)
            #expect(samples[name + #"suppressed"}"#] == 2)
        }
        #expect(samples[#"belfry_refusals_total{entry="cooldown",code="cooldown"}"#] == 4)
        // Of each subject all but the first.
        #expect(samples[#"belfry_observed_total{entry="daily-cap",code="max-per-period"}"#] == 6)
        #expect(samples["belfry_records_in_memory"] == 2)
        #expect(samples[#"belfry_store_bytes{part="journal"}"#] ?? 0 > 0)
        #expect(samples[#"belfry_batch_seconds_count{phase="decide"}"#] ?? 0 > 0)
        // Beside a thousand other tests it may take minutes.
        let oldest = samples["belfry_journal_oldest_timestamp_seconds"] ?? 0
        #expect((began - 1...Date().timeIntervalSince1970 + 1).contains(oldest))
        #expect(service.stop() == 0)
    }

    @Test func `there are at most 2,000 series with 200 campaigns, and no more with 300`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(campaigns: 300)])
        let service = try LiveService(in: place)
        _ = try await service.post(Self.signals(of: 0..<4, campaigns: 300), as: "application/x-ndjson")
        let paths = [
            "decisions", "decisions/u0:1", "decisions/no", "subjects", "subjects/u0", "config", "campaigns",
            "strategies",
        ]
        for path in paths {
            for headers in [[:], ["Authorization": "Bearer no"], ["Sec-Fetch-Site": "cross-site"]] {
                _ = try await service.get("/v1/\(path)", headers: headers)
                _ = try await service.post("{}", as: "application/json", to: "/v1/\(path)", headers: headers)
            }
        }
        let samples = try await samples(service)
        #expect(samples.count <= 2000)
        #expect(samples.keys.count { $0.hasPrefix("belfry_campaign_decisions_total") } == 402)
        #expect(samples[#"belfry_campaign_decisions_total{campaign="other",type="notification.created"}"#] == 200)
        #expect(service.stop() == 0)
    }

    /// What `promtool check metrics` complains of, as far as it is about names.
    @Test func `names are as Prometheus wants them`() async throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(campaigns: 1)])
        let service = try LiveService(in: place)
        _ = try await service.post(Self.signals(of: 0..<2, campaigns: 1) + "\nnonsense", as: "application/x-ndjson")
        var (families, helps): ([String: String], Set<String>) = ([:], [])
        for line in try await service.manage("GET", "/metrics").text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP "), words.count == 4 { #expect(helps.insert(words[2]).inserted) }
            if line.hasPrefix("# TYPE ") { #expect(families.updateValue(words[3], forKey: words[2]) == nil, "\(line)") }
        }
        #expect(families.count >= 40, "\(families.count)")
        #expect(Set(families.keys) == helps)
        for (name, type) in families {
            #expect(
                name.hasPrefix("belfry_") || name.hasPrefix("process_") || name.hasPrefix("http_server_"), "\(name)")
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
        }
        #expect(service.stop() == 0)
    }
}
