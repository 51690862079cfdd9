import Foundation
import Synchronization
import Testing

/// Packed bodies of lines that say nothing: a few kilobytes may become as much as one likes.
@Suite struct BlankLinesTests {
    private static let headers = ["Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"]

    private func service() throws -> (Workplace, LiveService) {
        let place = try Workplace(["belfry.yaml": "app: shop\ncampaigns: [ { id: hello } ]\n"])
        return (place, try LiveService(in: place))
    }

    @Test(arguments: ["\n", "x"], ["return=minimal", "return=representation"])
    func `what unpacks to no line is refused`(text: String, preference: String) throws {
        let (place, service) = try service()
        let body = try Gzip.pack(String(repeating: text, count: 20_000_000))
        let headers = Self.headers.merging(["Prefer": preference]) { $1 }
        let answer = try service.client().ask("POST", "/v1/signals", headers: headers, body: body)
        #expect(answer.status == 413 && answer.text.contains(#""code":"too-large""#), "\(answer)")
        #expect(answer.headers["content-type"] == "application/problem+json")
        _ = place
    }

    @Test func `lines before too many blank ones are decided, and the answer ends with why`() throws {
        let (place, service) = try service()
        let signal = #"{"id":"s-1","type":"app.foregrounded","subject":"ana","time":"2026-03-02T09:00:00Z"}"#
        let body = try Gzip.pack(signal + String(repeating: "\n", count: 30_000_000) + signal)
        let answer = try service.client().ask("POST", "/v1/signals", headers: Self.headers, body: body)
        let lines = answer.text.split(separator: "\n")
        #expect(answer.status == 200 && lines.count == 2, "\(answer)")
        #expect(lines.first?.hasPrefix(#"{"id":"s-1","status":"decided""#) == true)
        #expect(lines.last?.contains(#""code":"too-large""#) == true)
        _ = place
    }

    @Test func `others are answered while blank lines are passed over on every core`() throws {
        let (place, service) = try service()
        // As many as one likes, as long as there is something between them now and then.
        let blank = String(repeating: "\n", count: 1_000_000)
        let body = try Gzip.pack(String(repeating: blank + "x\n", count: 60))
        let begin = ContinuousClock.now
        let crew = Crew()
        let busy = Mutex(ProcessInfo.processInfo.activeProcessorCount)
        let counts = Mutex<[Int]>([])
        for _ in 0..<busy.withLock({ $0 }) {
            crew.hire {
                let answer = try? service.client().ask("POST", "/v1/signals", headers: Self.headers, body: body)
                let count = answer?.text.split(separator: "\n").count { $0.contains(#""code":"invalid-json""#) }
                counts.withLock { $0.append(count ?? 0) }
                busy.withLock { $0 -= 1 }
            }
        }
        let health = try service.client(of: service.management)
        var longest = Duration.zero
        while busy.withLock({ $0 > 0 }) {
            let asked = ContinuousClock.now
            #expect(try health.ask("GET", "/livez", headers: [:], body: []).status == 200)
            longest = max(longest, ContinuousClock.now - asked)
        }
        crew.wait()
        #expect(counts.withLock { Set($0) } == [60])
        // One that waits for the bodies takes as long as they do.
        #expect(longest < (ContinuousClock.now - begin) / 2)
        _ = place
    }
}
