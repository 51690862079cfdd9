import BelfryEngine
import BelfryModel

extension StrategyTest {
    /// Why a test could not go on: a mistake of the test or of the strategy, not a verdict.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public enum Code: String, Sendable {
            /// The parameters, or another part of the configuration, are refused.
            case configuration
            /// The test named something that is not there, or a time that is none.
            case use
            /// A check changed the state, or answered differently when it was asked again.
            case impure
            /// The record, or the state of an earlier version, cannot be read.
            case record
            /// Something else came of a step than a timeline expects.
            case difference
            /// A hook said that it left the state alone, and did not.
            case untruthful
            /// An `until` is not the first instant at which it would allow.
            case inexact
            /// What it answers rests on something that is not stored.
            case forgetful
        }

        public let code: Code
        /// What happened, why, and what to do.
        public let description: String
    }
}

extension StrategyTest.Failure {
    /// - Parameter what: the strategy or filter, as `strategy 'cooldown'`.
    static func refused(_ what: String, _ problems: ConfigurationProblems) -> Self {
        let sentences = problems.problems.map { "\n  why: \($0.withoutEntry.sentence)" }.joined()
        return Self(
            code: .configuration, description: "\(what) cannot be configured like this\(sentences)")
    }

    static func unknownCounter(_ per: String) -> Self {
        Self(
            code: .configuration,
            description: """
                '\(per)' is nothing to count by
                  fix: give one of subject, channel, campaign, trigger, region, group and data.<key>
                """)
    }

    static func notATime(_ text: String) -> Self {
        Self(code: .use, description: "'\(text)' is no time\n  fix: write it as \(Instant.timelineForms)")
    }

    static func missingVersion(of strategy: String) -> Self {
        Self(
            code: .use,
            description: """
                this test does not say which version stored that
                  why: the state of strategy '\(strategy)' saves itself, and is read by its version
                  fix: begin(with: …, version: 1)
                """)
    }

    static func unreadable(_ mistake: Timeline.Mistake) -> Self {
        Self(
            code: .use,
            description: "the timeline has a line that cannot be read: \(mistake.line)\n  why: \(mistake.why)")
    }

    /// - Parameter strategy: as `strategy 'cooldown'`.
    static func difference(_ strategy: String, _ story: Story, stateLines: [String]) -> Self {
        let state = stateLines.isEmpty ? ["nothing"] : stateLines
        return Self(
            code: .difference,
            description: """
                \(strategy) does something else than the timeline says
                \(story.lines(failed: false).asBlock)
                  it remembers:
                \(state.map { "  \($0)" }.asBlock)
                """)
    }

    /// The same, and where in a timeline it happened.
    func told(_ story: Story) -> Self {
        Self(
            code: code, description: "\(description)\n  where:\n\(story.lines(failed: true).map { "  \($0)" }.asBlock)")
    }

    static func refused(_ fault: SignalFault) -> Self {
        Self(
            code: .use,
            description: """
                this test cannot send that: \(fault.message)
                  fix: declare it in 'campaigns', 'regions' or 'configure' of the test
                """)
    }

    static func nothingCreated() -> Self {
        Self(
            code: .use,
            description:
                "no notification was created yet\n  fix: request one before it is opened, and see that it is created")
    }

    static func impure(_ strategy: String, _ what: String) -> Self {
        Self(
            code: .impure,
            description: """
                strategy '\(strategy)' has a check that is not pure
                  why: \(what)
                  fix: decide from parameters, state and context alone, and change the state in didCreate and didDelete only
                """)
    }

    static func impure(filter: String, _ what: String) -> Self {
        Self(
            code: .impure,
            description: """
                filter '\(filter)' is not pure
                  why: \(what)
                  fix: edit by parameters, candidate and context alone
                """)
    }

    /// - Parameter strategy: as `strategy 'cooldown'`.
    static func untruthful(_ strategy: String, _ what: String) -> Self {
        Self(
            code: .untruthful,
            description: """
                \(strategy) changes its state and does not say so
                  why: \(what)
                  fix: return BELFRY_TOLD_CHANGED from every hook that may have changed the state; the rest is not stored
                """)
    }

    /// - Parameter strategy: as `strategy 'cooldown'`.
    static func forgetful(_ strategy: String, _ why: String) -> Self {
        Self(
            code: .forgetful,
            description: """
                \(strategy) does not survive saving and loading
                  why: \(why)
                  fix: declare every part of the state as a field; or write it in save, and read it in load
                """)
    }

    static func inexact(_ strategy: String, _ why: String) -> Self {
        Self(
            code: .inexact,
            description: """
                \(strategy) gives an 'until' that is not exact
                  why: \(why)
                  fix: give the first instant at which it would allow if nothing else happens, or none
                """)
    }

    static func notMigrated(_ strategy: String, _ sentence: String) -> Self {
        Self(
            code: .record,
            description: """
                \(strategy) cannot load what its earlier version saved
                  why: \(sentence.isEmpty ? "it does not say" : sentence)
                  fix: read that version in load(from:version:now:)
                """)
    }

    static func unreadable(_ damage: RecordDamage) -> Self {
        Self(code: .record, description: "the saved record cannot be read back\n  why: \(damage.reason)")
    }
}

extension ConfigurationProblem {
    /// The test has one entry, so its place in the chain says nothing.
    fileprivate var withoutEntry: ConfigurationProblem {
        guard path.starts(with: ["chain", "0"]) else { return self }
        return ConfigurationProblem(path: Array(path.dropFirst(2)), found: found, expected: expected, fix: fix)
    }
}

extension [String] {
    /// A line each, set in.
    var asBlock: String { map { "  \($0)" }.joined(separator: "\n") }
}
