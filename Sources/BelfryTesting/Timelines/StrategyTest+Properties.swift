import BelfryModel

extension StrategyTest {
    /// Checks what holds for every strategy, with random timelines over the campaigns and regions of this test.
    ///
    /// Whatever happens in whatever order, also when time goes back: checks are pure, a subject that is saved and loaded after every step
    /// goes on exactly as one that is not, and every `until` is exact: 1 ms before it the answer is the same, and at it the strategy
    /// allows. This test itself stays as it is.
    ///
    /// ```swift
    /// @Test func `it survives anything`() throws {
    ///     try StrategyTest(Patience.self, parameters: ["limit": 3]).checkProperties()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - seeds: a timeline for each; the same seed gives the same timeline.
    ///   - steps: of each timeline.
    /// - Throws: `Failure`, with the seed and the shortest timeline that was found to show it, to be pasted into a test of its own.
    public func checkProperties(seeds: ClosedRange<UInt64> = 1...20, steps: Int = 200) throws(Failure) {
        for seed in seeds {
            let timeline = Timeline(
                seed: seed, steps: steps, campaigns: configuration.campaigns.map(\.id),
                regions: configuration.regions.map(\.id))
            guard let failure = objection(to: timeline.steps) else { continue }
            let shortest = shortened(timeline.steps, while: failure.code)
            throw (objection(to: shortest) ?? failure).from(seed: seed, shortest)
        }
    }

    /// The first property that does not hold; nil: all do.
    private func objection(to steps: [Timeline.Step]) -> Failure? {
        do throws(Failure) {
            let test = try StrategyTest(again: self)
            let probe = try StrategyTest(again: self)
            test.savesAfterEveryStep = true
            for step in steps {
                _ = try test.play(step)
                if case .request = step.event { try probe.checkUntil(after: step.event, in: test) }
            }
            return nil
        } catch {
            return error
        }
    }

    /// Asks again, of a copy of the other's record, directly before and at the `until` of its last answer. What is collected is asked about
    /// when its digest closes, and not by itself.
    private func checkUntil(after event: Timeline.Event, in other: StrategyTest) throws(Failure) {
        guard let verdict = other.verdict, let until = verdict.exactUntil, until < Instant.writable.upperBound
        else { return }
        for instant in [until - Duration(milliseconds: 1), until] where instant >= other.record.latest {
            record = other.record.copyWithoutTimers()
            (now, channel) = (instant, other.channel)
            _ = try play(event)
            guard let answer = self.verdict, answer.isRefusal != (instant < until) else { continue }
            throw .inexact(what, "at \(other.now) it answered '\(verdict.text)', and at \(instant) '\(answer.text)'")
        }
    }

    /// Leaves out whatever is not needed for a failure of that kind: halves first, single steps last.
    private func shortened(_ steps: [Timeline.Step], while code: Failure.Code) -> [Timeline.Step] {
        var steps = steps
        var length = steps.count / 2
        while length > 0 {
            var start = 0
            while start < steps.count {
                var fewer = steps
                fewer.removeSubrange(start..<min(start + length, steps.count))
                if objection(to: fewer)?.code == code { steps = fewer } else { start += length }
            }
            length /= 2
        }
        return steps
    }
}

extension Verdict {
    /// When a fresh candidate would pass, if it says so.
    fileprivate var exactUntil: Instant? {
        switch self {
        case .deny(let reason), .defer(let reason): reason.until
        case .allow, .abstain, .collect, .withhold, .fault: nil
        }
    }

    fileprivate var isRefusal: Bool {
        switch self {
        case .deny, .defer, .collect, .withhold, .fault: true
        case .allow, .abstain: false
        }
    }
}

extension StrategyTest.Failure {
    /// The same, and how to see it again.
    fileprivate func from(seed: UInt64, _ steps: [Timeline.Step]) -> Self {
        Self(
            code: code,
            description: """
                \(description)
                  where: at the end of this timeline, from seed \(seed)
                \(steps.map { "  \($0)" }.asBlock)
                """)
    }
}
