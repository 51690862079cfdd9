import CBelfry
import Foundation
import Testing

@testable import BelfryPluginHost

/// One sin each, beside a plugin without any, loaded into this process.
@Suite struct PluginLoadingTests {
    private static let rebuild = "  fix: rebuild it with a BelfryPlugin 1.x release, or run a newer host"
    private static let counterless =
        "  why: the default counter of strategy 'polite' is 'campagin', which is no 'per' of a configuration"
    private static let correct = "  fix: correct that in the plugin and rebuild it"

    private static let sins: [(sin: String, text: [String])] = [
        (
            "wrong-magic",
            [
                "  why: its root begins with 0x1122334455667788; a plugin's begins with 0x42454c4652593031",
                correct,
            ]
        ),
        ("wrong-abi", ["  why: it was built for ABI 2.0; this host speaks ABI 1.0", rebuild]),
        ("newer-minor", ["  why: it was built for ABI 1.7; this host speaks ABI 1.0", rebuild]),
        ("wrong-size", ["  why: its root has 136 bytes; this host's has 128", rebuild]),
        ("flags-set", ["  why: its flags are 0x4; this host knows none", rebuild]),
        (
            "reserved-set",
            ["  why: the reserved words of its root are not zero; this host knows no use for them", rebuild]
        ),
        (
            "several-sins",
            [
                "  why: it was built for ABI 1.7; this host speaks ABI 1.0",
                "  why: its root has 8 bytes; this host's has 128",
                "  why: its flags are 0x1; this host knows none", rebuild,
            ]
        ),
        ("empty-id", ["  why: its id is empty", correct]),
        (
            "blank-version",
            [
                "  why: its version '1.0 beta' has blanks in it",
                "  fix: write one word, such as 'quiet-hours' or '1.2.0'",
            ]
        ),
        ("not-text", ["  why: its version is not UTF-8", correct]),
        (
            "null-root",
            ["  why: its entry returned NULL: it will not work with this host (ABI 1.0)", rebuild]
        ),
        (
            "missing-table",
            [
                "  why: it offers nothing that this host knows: belfry.strategy/1, belfry.filter/1, belfry.actions/1, belfry.sink/1",
                correct,
            ]
        ),
        ("null-strategy", ["  why: strategy 2 is NULL", correct]),
        (
            "missing-mandatory-hook",
            ["  why: strategy 'polite' has no 'should_create'; it is required", correct]
        ),
        (
            "stateful-without-hooks",
            [
                "  why: strategy 'polite' has no 'state_init'; a strategy whose state declares no fields needs it",
                "  why: strategy 'polite' has no 'state_destroy'; a strategy whose state declares no fields needs it",
                "  why: strategy 'polite' has no 'state_load'; a strategy whose state declares no fields needs it",
                "  why: strategy 'polite' has no 'state_save'; a strategy whose state declares no fields needs it",
                "  why: the state alignment of strategy 'polite' is 3; it must be a power of two, at most 16",
                correct,
            ]
        ),
        (
            "wrong-fields",
            [
                "  why: field 'count' of strategy 'polite' lies at byte 4, which is no multiple of 8",
                "  why: strategy 'polite' has two fields 'count'",
                "  why: field 'count' of strategy 'polite' lies at byte 24, beyond the 24 bytes of the state",
                "  why: field 'last' of strategy 'polite': its type 99 is none that this host knows",
                "  why: field 'words' of strategy 'polite' cannot be optional: an empty one says as much",
                "  why: field 'more' of strategy 'polite' lies where field 'words' lies",
                correct, "  fix: rebuild it with a BelfryPlugin 1.x release, or run a newer host",
            ]
        ),
        (
            "wrong-signature",
            [
                "  why: the signature of action 'dial' is '(action, number)': 'number' has no type, at 10",
                "  why: action 'url' has no 'function'; it is required",
                "  why: the signature of action 'url' is for 'link'",
                "  fix: write 'number: TYPE', where TYPE is bool, int, double, string, bytes or instant", correct,
                "  fix: write 'url' in front of its '(', or nothing",
            ]
        ),
        (
            "hollow-filter",
            [
                "  why: filter 'polite' has no 'apply'; it is required",
                "  why: it offers the name 'polite' twice",
                correct,
            ]
        ),
        (
            "hollow-receipts",
            [
                "  why: receipt hook 1 has no 'on_receipt'; it is required",
                "  why: receipt hook 2 has no 'on_receipt'; it is required",
                "  why: receipt hook 2 is of the strategy 'rude', which it does not offer",
                correct,
            ]
        ),
        (
            "strange-outcomes",
            [
                "  why: its outcomes name the strategy 'rude', which it does not offer",
                correct,
            ]
        ),
        (
            "hollow-sink",
            [
                "  why: sink 'hollow' has no 'deliver'; it is required",
                "  why: sink 'hollow' has no 'destroy'; it is required",
                correct,
            ]
        ),
        (
            "contradicting-order",
            ["  why: strategy 'polite' must stand both before and after 'cooldown'", correct]
        ),
        (
            "senseless-bounds",
            [counterless]
                + [
                    "'endless': a bound of its range is no whole number up to 2^53",
                    "'infinite': a bound of its range is no finite number",
                    "'negative': a bound of its range is below 0",
                    "'countless': its minimum is 1000000000; at most 65536 is allowed",
                    "'no-number': its default is no finite number",
                    "'past': its default is a negative duration, which no configuration has",
                ].map { "  why: the parameters of strategy 'polite': \($0)" } + [correct]
        ),
        (
            "contradicting-schema",
            [
                "'upside-down': its minimum 9 is above its maximum 1",
                "'too-small': its default 3 is below its minimum 5",
                "'both': it is required, so it cannot have a default",
                "'wrong-kind': its default is a duration, not a whole number",
                "'colour': its default 'purple' is not among its choices red and green",
                "'no-choice': it is a choice without choices", "'hollow': it is a mapping without members",
                "'unheard-of': its type 99 is none that this host knows here", "the name 'both' occurs twice",
                "'instead' replaces 'nobody', which is not among them",
            ].map { "  why: the parameters of strategy 'polite': \($0)" } + [correct, rebuild]
        ),
        (
            "init-fails",
            [
                "  why: its init failed: the zone table is missing",
                "  fix: remove that cause, then load it again",
            ]
        ),
        (
            "silent-failure",
            [
                "  why: its init failed with status 9 and no word why",
                "  fix: have the plugin say why, through the sink of init",
            ]
        ),
        ("bad-entry-version", ["  why: it was built for ABI 2; this host speaks ABI 1.0", rebuild]),
        (
            "unresolved",
            [
                "  why: the system's loader refused it: undefined symbol: belfry_nobody_has_this",
                "  fix: install what it needs where the loader finds it, or link that into the plugin; "
                    + "it is loaded from a private copy, so libraries beside it are not found",
            ]
        ),
    ]

    @Test(arguments: sins)
    func `a sin is refused in plain words, and the plugin beside it loads`(sin: String, text: [String]) throws {
        let folder = try PluginFolder(sin, "well-behaved")
        let (plugins, refusals) = try folder.load()
        #expect(plugins.map(\.id) == ["example.well-behaved"])
        #expect(
            refusals.map(\.description) == [
                (["cannot load plugin '\(sin).so'"] + text).joined(separator: "\n")
            ])
    }

    @Test func `a second plugin with the same id is refused, and both files are named`() throws {
        let folder = try PluginFolder("duplicate-id", "well-behaved")
        let (plugins, refusals) = try folder.load()
        #expect(plugins.map(\.path) == [folder.file("duplicate-id").path])
        #expect(
            refusals.map(\.description) == [
                """
                cannot load plugin 'well-behaved.so'
                  why: its id 'example.well-behaved' is in two files: '\(folder.file("duplicate-id").path)', which is used, \
                and '\(folder.file("well-behaved").path)'
                  fix: remove one of the two files
                """
            ])
    }

    @Test func `a second strategy of the same name is refused`() throws {
        let (plugins, refusals) = try PluginFolder("duplicate-name", "well-behaved").load()
        #expect(plugins.map(\.id) == ["example.duplicate-name"])
        #expect(refusals.first?.differences.first?.why.hasPrefix("the name 'polite' is in two files") == true)
    }

    @Test func `the same contents under two names are one plugin`() throws {
        let folder = try PluginFolder("well-behaved")
        try folder.add("well-behaved", as: "again")
        let (plugins, refusals) = try folder.load()
        #expect(plugins.map(\.path) == [folder.file("again").path])
        #expect(refusals.isEmpty)
    }

    @Test func `what is no plugin is skipped without a word`() throws {
        let folder = try PluginFolder("no-entry")
        try Data("INPUT(libc.so.6)".utf8).write(to: folder.file("linker-script"))
        try Data().write(to: folder.file("empty"))
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.file("dangling"), withDestinationURL: folder.file("nowhere"))
        let (plugins, refusals) = try folder.load()
        #expect(plugins.isEmpty)
        #expect(refusals.isEmpty)
    }

    @Test func `a manifest says everything that a plugin describes`() throws {
        let (plugins, refusals) = try PluginFolder("rich").load()
        #expect(refusals.isEmpty)
        let manifest = PluginManifest(describing: try #require(plugins.first))
        let strategy = try #require(manifest.strategies.first)
        #expect(strategy.name == "rich")
        #expect(strategy.defaultCounter == "campaign")
        #expect(strategy.before == ["cooldown"])
        #expect(strategy.orderReason == "It counts what cooldown refuses.")
        #expect(strategy.stateSize == 16 && strategy.stateVersion == 2)
        let members = try #require(strategy.parameters?.members)
        #expect(members.map(\.name) == ["max", "period", "boundary", "lifetime", "radius"])
        #expect(members.map(\.type) == ["integer", "duration", "choice", "boolean", "number"])
        #expect(members.map(\.defaultValue?.value) == [nil, "1h30m", "open", nil, nil])
        #expect(members[0].isRequired && members[0].minimum == 0 && members[0].maximum == nil)
        #expect(members[2].choices == ["open", "closed"])
        #expect(members[3].replaces == ["period"])
        #expect(members[4].isList && members[4].unit == "m")
        let json = try JSONEncoder().encode(manifest)
        #expect(try JSONDecoder().decode(PluginManifest.self, from: json) == manifest)
    }
}
