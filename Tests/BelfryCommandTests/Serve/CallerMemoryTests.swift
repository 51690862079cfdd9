import Testing

@testable import BelfryService

/// What a service keeps of its callers for a while, whose time is moved by hand.
@Suite struct CallerMemoryTests {
    private let start = ContinuousClock.now

    private func reply(bytes: Int, at now: ContinuousClock.Instant) -> IdempotencyKeys.Kept {
        IdempotencyKeys.kept(Reply(bytes: [UInt8](repeating: 0, count: bytes)), digest: "d", at: now)
    }

    @Test func `keys that come again each night do not fill the memory of answers`() throws {
        let keys = IdempotencyKeys(most: 1000)
        let names = ["a", "b"].map { IdempotencyKeys.Key(caller: "team", text: $0) }
        for night in 0..<20 {
            let now = start + .seconds(night * 25 * 3600)
            for name in names {
                #expect(try keys.begin(name, at: now) == nil)
                keys.end(name, reply(bytes: 100, at: now), at: now)
            }
            for name in names { #expect(try keys.begin(name, at: now + .seconds(60)) != nil, "\(night)") }
        }
    }

    @Test func `the oldest answers are let go where there are too many bytes of them`() throws {
        let keys = IdempotencyKeys(most: 1000)
        let names = (0..<20).map { IdempotencyKeys.Key(caller: "team", text: "\($0)") }
        for name in names {
            _ = try keys.begin(name, at: start)
            keys.end(name, reply(bytes: 100, at: start), at: start)
        }
        let kept = try names.map { try keys.begin($0, at: start) != nil }
        #expect(kept == names.indices.map { $0 >= 10 })
    }

    @Test func `what is under way stays so while answers are forgotten`() throws {
        let keys = IdempotencyKeys()
        let name = IdempotencyKeys.Key(caller: "team", text: "a")
        _ = try keys.begin(name, at: start)
        keys.end(name, reply(bytes: 1, at: start), at: start)
        // It is begun anew, since its answer has expired.
        #expect(try keys.begin(name, at: start + .seconds(25 * 3600)) == nil)
        keys.forget()
        #expect(throws: Problem.self) { try keys.begin(name, at: start + .seconds(25 * 3600)) }
    }

    @Test func `callers that call no more are forgotten, and those that called too often are not`() {
        let limit = RateLimit(1)
        #expect(limit.take("busy", at: start).isGranted)
        for caller in 0..<30_000 { _ = limit.take("\(caller)", at: start - .seconds(40_000 - caller)) }
        #expect(limit.known <= 10_000)
        #expect(!limit.take("busy", at: start).isGranted)
    }
}
