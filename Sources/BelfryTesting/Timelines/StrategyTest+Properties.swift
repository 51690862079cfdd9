import BelfryModel

extension StrategyTest {
    /// Checks what holds for every strategy, with random timelines over the campaigns and regions of this test.
    ///
    /// Whatever happens in whatever order, also when time goes back: checks are pure, and a subject that is saved and loaded after
    /// every step goes on exactly as one that is not. This test itself stays as it is.
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
            let kept = try StrategyTest(again: self)
            let loaded = try StrategyTest(again: self)
            loaded.savesAfterEveryStep = true
            for step in steps where step.event.isPossible(in: kept) {
                let expected = try kept.play(step)
                let found = try loaded.play(step)
                try loaded.compare(found, loaded.stateLines, with: expected, kept.stateLines)
            }
            return nil
        } catch {
            return error
        }
    }

    private func compare(
        _ found: [Timeline.Result], _ foundState: [String], with expected: [Timeline.Result], _ expectedState: [String]
    ) throws(Failure) {
        if found != expected {
            throw .forgetful(what, "answers", found.map(\.description), expected.map(\.description))
        }
        if foundState != expectedState { throw .forgetful(what, "remembers", foundState, expectedState) }
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

extension Timeline.Event {
    /// Nothing can be opened before something was created.
    fileprivate func isPossible(in test: StrategyTest) -> Bool {
        if case .open = self { !test.record.notifications.isEmpty } else { true }
    }
}

extension StrategyTest.Failure {
    fileprivate static func forgetful(_ strategy: String, _ verb: String, _ found: [String], _ expected: [String])
        -> Self
    {
        func list(_ lines: [String]) -> String { lines.isEmpty ? "nothing" : lines.joined(separator: ", ") }
        return Self(
            code: .forgetful,
            description: """
                \(strategy) does not survive saving and loading
                  why: after that it \(verb) \(list(found)); without, \(list(expected))
                  fix: write every part of the state in save, and read it in load
                """)
    }

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
