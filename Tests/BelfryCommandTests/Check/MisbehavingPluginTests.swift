import Foundation
import Testing

@testable import BelfryPluginCheck

/// For each sin there is a plugin, and exactly one check that fails, with a message that names the sin.
@Suite struct MisbehavingPluginTests {
    struct Sin: Sendable, CustomTestStringConvertible {
        let plugin: String
        let check: String
        /// Part of what is told.
        let words: String

        init(_ plugin: String, _ check: String, _ words: String) {
            (self.plugin, self.check, self.words) = (plugin, check, words)
        }

        var testDescription: String { plugin }
    }

    private static let whenLoaded = [
        Sin("bad-entry-version", "file", "it was built for ABI 2; this host speaks ABI 1.0"),
        Sin("unresolved", "file", "undefined symbol: belfry_nobody_has_this"),
        Sin("no-entry", "file", "it does not export 'belfry_plugin_entry_v1'"),
        Sin("talkative-symbols", "symbols", "'helper' can be seen by everything else in the process"),
        Sin("wrong-magic", "root", "its root begins with 0x1122334455667788"),
        Sin("wrong-abi", "root", "it was built for ABI 2.0; this host speaks ABI 1.0"),
        Sin("newer-minor", "root", "it was built for ABI 1.7; this host speaks ABI 1.0"),
        Sin("wrong-size", "root", "its root has 136 bytes; this host's has 128"),
        Sin("flags-set", "root", "its flags are 0x4; this host knows none"),
        Sin("reserved-set", "root", "the reserved words of its root are not zero"),
        Sin("several-sins", "root", "its root has 8 bytes; this host's has 128"),
        Sin("null-root", "root", "its entry returned NULL"),
        Sin("init-fails", "root", "its init failed: the zone table is missing"),
        Sin("silent-failure", "root", "its init failed with status 9 and no word why"),
        Sin("empty-id", "identity", "its id is empty"),
        Sin("blank-version", "identity", "its version '1.0 beta' has blanks in it"),
        Sin("not-text", "identity", "its version is not UTF-8"),
        Sin("missing-table", "tables", "it offers nothing that this host knows"),
        Sin("null-strategy", "tables", "strategy 2 is NULL"),
        Sin("missing-mandatory-hook", "tables", "strategy 'polite' has no 'should_create'"),
        Sin("stateful-without-hooks", "tables", "strategy 'polite' has no 'state_load'"),
        Sin("wrong-signature", "tables", "'number' has no type, at 10"),
        Sin("hollow-receipts", "tables", "receipt hook 1 has no 'on_receipt'"),
        Sin("strange-outcomes", "tables", "its outcomes name the strategy 'rude', which it does not offer"),
        Sin("hollow-sink", "tables", "sink 'hollow' has no 'deliver'"),
        Sin("hollow-filter", "tables", "filter 'polite' has no 'apply'"),
        Sin("contradicting-order", "tables", "strategy 'polite' must stand both before and after 'cooldown'"),
        Sin("wrong-fields", "tables", "field 'count' of strategy 'polite' lies at byte 4, which is no multiple of 8"),
        Sin("contradicting-schema", "description", "'too-small': its default 3 is below its minimum 5"),
    ]

    private static let whenCalled = [
        Sin("accepts-anything", "parameters", "strategy 'steady' accepts wrong parameters: 'limit' as a list"),
        Sin(
            "any-choice", "parameters",
            "strategy 'steady' accepts wrong parameters: 'mode' as \"no such choice\": its description says that it is one of strict, loose"
        ),
        Sin(
            "crash-on-parameters", "parameters",
            "it crashed with SIGSEGV in create of strategy 'steady' with a boolean (true)"),
        Sin("refuses-silently", "parameters", "strategy 'steady' refused 'limit' as a list without a word"),
        Sin("hang", "hooks", "it did not come back from did_create of strategy 'steady' within"),
        Sin("past-until", "hooks", "which is not later than"),
        Sin(
            "untruthful", "hooks",
            "on_opened of strategy 'steady' gave no answer: it said that its state is unchanged, and has changed it"),
        Sin("late-until", "until", "should_create of strategy 'steady' gives an 'until' that is not exact"),
        Sin("slow", "hooks", "on_opened of strategy 'steady' is slow"),
        Sin("crash", "hooks", "it crashed with SIGSEGV in on_background of strategy 'steady'"),
        Sin("crash-on-receipt", "hooks", "it crashed with SIGSEGV in on_receipt of strategy 'steady'"),
        Sin("needs-trigger", "hooks", "it crashed with SIGSEGV in should_create of strategy 'steady'"),
        Sin(
            "counts-refusals", "hooks",
            "did_create of strategy 'steady' makes something of a refusal: it changed the state"),
        Sin("leaves", "hooks", "it ended the process in on_opened of strategy 'steady'"),
        Sin("stops", "hooks", "it stopped its process before the check was done: the process was sent SIGSTOP"),
        Sin(
            "unknown-verdict", "hooks",
            "should_create of strategy 'steady' gave no answer: it answered with the unknown verdict 9"),
        Sin("impure", "purity", "should_create of strategy 'steady' changes the state"),
        Sin("two-answers", "purity", "should_create of strategy 'steady' answers differently when it is asked twice"),
        Sin("fickle-filter", "purity", "apply of filter 'fickle' answers differently when it is asked twice"),
        Sin("forgets", "state", "strategy 'steady' loses state when it is saved and loaded"),
        Sin("misreads", "state", "strategy 'steady' loses state when it is saved and loaded"),
        Sin("wants-all-keys", "unknown-keys", "strategy 'steady' cannot load a state with no keys"),
        Sin("no-migration", "migration", "strategy 'steady' does not take state of version 1"),
        Sin(
            "half-migration", "migration",
            "strategy 'steady' migrates state of version 1 into something that it does not keep"),
        Sin(
            "keeps-candidate", "borrowed",
            "it kept a pointer to the candidate and used it in should_create of strategy 'steady'"),
        Sin(
            "keeps-receipt", "borrowed",
            "it kept a pointer to the receipt and used it in on_opened of strategy 'steady'"),
        Sin(
            "keeps-parameters", "borrowed",
            "it kept a pointer to the parameters and used it in on_opened of strategy 'steady'"),
        Sin(
            "keeps-attribute", "borrowed",
            "it kept a pointer to an attribute and used it in on_opened of strategy 'steady'"),
        Sin("reads-beyond", "borrowed", "it went beyond the candidate's message in should_create of strategy 'steady'"),
        Sin("writes-candidate", "borrowed", "it wrote into the candidate in should_create of strategy 'steady'"),
        Sin("state-overrun", "borrowed", "it went beyond the state in did_create of strategy 'steady'"),
        Sin("shared-counter", "threads", "strategy 'steady' mixes up subjects"),
        Sin("leak", "memory", "strategy 'steady' leaks memory"),
        Sin("only-once", "generations", "generation 2 of it cannot be loaded"),
        Sin("generation-dependent", "generations", "generation 2 of it decides differently from the first"),
        Sin("asks-clock", "determinism", "strategy 'steady' asks the system for 'time' in did_create"),
        Sin("asks-dice", "determinism", "strategy 'steady' asks the system for 'rand' in should_create"),
        Sin("process-dependent", "determinism", "it decides differently in another process"),
        Sin("crash-on-long-title", "fuzz", "it crashed with SIGABRT in should_create of strategy 'steady', case"),
        Sin("mute-sink", "deliveries", "'deliver' of sink 'well' does not say why it did not take a decision"),
        Sin("odd-sink", "deliveries", "'deliver' of sink 'well' answered 77"),
        Sin("crash-in-deliver", "deliveries", "it crashed with SIGABRT in deliver of sink 'well'"),
    ]

    /// They end the process that loads them.
    private static let whenScanned = [
        Sin("crash-during-scan", "file", "it crashed with SIGSEGV in its constructors"),
        Sin(
            "exit-during-scan", "file",
            "it ended the process before the check was done: the process ended with status 0"),
        Sin(
            "stop-during-scan", "file", "it stopped its process before the check was done: the process was sent SIGSTOP"
        ),
        Sin(
            "hang-during-scan", "file",
            "it did not come back from its constructors within 5s: belfry loads its plugins before it decides anything"),
    ]

    @Test(arguments: whenLoaded + whenScanned + whenCalled)
    func `one check fails and names the sin`(sin: Sin) throws {
        let report = try Misbehaving.check(sin.plugin)
        #expect(report.failures.map(\.check) == [sin.check], "\(report)")
        let told = report.failures.flatMap(\.findings).map { "\($0.what): \($0.why)" }
        #expect(told.contains { $0.contains(sin.words) }, "\(told)")
    }

    @Test(arguments: ["well-behaved", "chatty", "duplicate-id", "duplicate-name", "steady", "hears", "well"])
    func `a plugin without a sin passes`(plugin: String) throws {
        let report = try Misbehaving.check(plugin)
        #expect(report.isPassed, "\(report)")
    }

    @Test(arguments: [
        ("accepts-anything", "look at the kind of each value"), ("any-choice", "compare the text with the choices"),
        ("hang-during-scan", "do no waiting, no endless loop and no input or output in constructors, entry and init"),
    ])
    func `a fix is about what was found`(plugin: String, fix: String) throws {
        let fixes = try Misbehaving.check(plugin).failures.flatMap(\.findings).map(\.fix)
        #expect(fixes.contains { $0.hasPrefix(fix) }, "\(fixes)")
    }

    @Test func `every check fails for some plugin`() {
        let failing = Set((Self.whenLoaded + Self.whenCalled).map(\.check))
        #expect(PluginCheck.all.map(\.id).filter { !failing.contains($0) } == [])
    }
}
