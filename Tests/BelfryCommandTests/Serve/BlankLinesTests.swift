import Foundation
import Synchronization
import Testing

/// Packed bodies of lines that say nothing: a few kilobytes may become as much as one likes.
@Suite struct BlankLinesTests {
    @Test func `others are answered while blank lines are passed over on every core`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\ncampaigns: [ { id: hello } ]\n"])
        let service = try LiveService(in: place)
        let body = try Gzip.pack(String(repeating: "\n", count: 60_000_000))
        let headers = ["Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"]
        let begin = ContinuousClock.now
        let crew = Crew()
        let busy = Mutex(ProcessInfo.processInfo.activeProcessorCount)
        let statuses = Mutex<[Int]>([])
        for _ in 0..<busy.withLock({ $0 }) {
            crew.hire {
                let status = try? service.client().ask("POST", "/v1/signals", headers: headers, body: body).status
                statuses.withLock { $0.append(status ?? 0) }
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
        #expect(statuses.withLock { Set($0) } == [200])
        // One that waits for the bodies takes as long as they do.
        #expect(longest < (ContinuousClock.now - begin) / 2)
    }
}
