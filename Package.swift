// swift-tools-version: 6.2
import PackageDescription

/// In packages each shared object in Swift has the standard library inside, where nothing else sees it: `--static-swift-stdlib`
/// is for executables only.
let standardLibrary = Context.environment["BELFRY_STATIC_STDLIB"] == nil ? [] : ["-static-stdlib"]

/// A shared object that exports nothing but the entry point of the contract. lld, because the default linker leaves local
/// names in the dynamic symbol table.
func exports(_ flags: [String] = []) -> [LinkerSetting] {
    let script = "--version-script=\(Context.packageDirectory)/Plugins/exports.map"
    return [.unsafeFlags(flags + ["-use-ld=lld", "-Xlinker", script])]
}

/// A bundled strategy in Swift.
func plugin(_ name: String) -> Target {
    .target(
        name: name, dependencies: ["BelfryPlugin"], path: "Plugins/\(name)",
        linkerSettings: exports(standardLibrary))
}

/// The unit tests of a bundled strategy. The plugin's sources are compiled into them (`Plugin` is a link to its folder), all but
/// the entry function: every test of the package ends in one executable, which can have but one function of that name.
func pluginTests(_ name: String) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: ["BelfryPlugin", "BelfryTesting"], path: "Tests/PluginTests/\(name)",
        exclude: ["Plugin/Plugin.swift"])
}

/// A product of another package, for the host alone: who depends on this one with `traits: []`, to write a plugin, fetches nothing.
func hosted(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: ["Host"]))
}

let swiftPlugins = [
    "ActionMenu", "Actions", "BackgroundDelay", "Cooldown", "Digest", "Holdout", "Inhibit", "MaxPerPeriod",
    "Occurrences",
    "Personalize", "RegionChange", "Schedule", "Segmentation",
]
let cPlugins = ["Once"]

let package = Package(
    name: "belfry",
    products: [
        .library(name: "BelfryPlugin", targets: ["BelfryPlugin"]),
        .library(name: "BelfryTesting", targets: ["BelfryTesting"]),
        .library(name: "BelfryStoreTesting", targets: ["BelfryStoreTesting"]),
        .library(name: "BelfryHandlers", targets: ["BelfryHandlers"]),
        .library(name: "BelfryCore", targets: ["BelfryCore"]),
        .library(name: "BelfryRuntime", targets: ["BelfryRuntime"]),
        .library(name: "BelfryStore", targets: ["BelfryStore"]),
        // libbelfry: make library gives the file its name.
        .library(name: "BelfryLibrary", type: .dynamic, targets: ["BelfryLibrary"]),
        .executable(name: "belfry", targets: ["BelfryCommand"]),
    ] + (swiftPlugins + cPlugins).map { .library(name: "Belfry\($0)", type: .dynamic, targets: [$0]) },
    traits: [
        .default(enabledTraits: ["Host"]),
        .trait(name: "Host", description: "The host and the command. Plugins do without it."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.20.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(name: "CBelfry"),
        .target(name: "CPostgres"),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "CLinux"),
        .target(name: "CSimulationPage", exclude: ["Page"]),
        .target(name: "CServicePages", exclude: ["Page"]),
        .target(name: "CTemplates"),
        .systemLibrary(name: "CFFI", providers: [.apt(["libffi-dev"])]),
        .systemLibrary(name: "CCrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLZ4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CBelfryCore"),
        .target(name: "BelfryModel"),
        .target(name: "BelfryPlugin", dependencies: ["CBelfry", "BelfryModel"]),
        .target(
            name: "BelfryEngine", dependencies: ["CBelfry", "BelfryModel"],
            swiftSettings: [.enableExperimentalFeature("Lifetimes")]),
        .target(name: "BelfryHandlers", dependencies: ["BelfryEngine", "BelfryModel", "CBelfry", "CFFI"]),
        .target(name: "BelfryZones", dependencies: ["BelfryEngine"]),
        .target(name: "BelfryPostgres", dependencies: ["CPostgres"]),
        .target(
            name: "BelfryStore",
            dependencies: [
                "BelfryPostgres", "BelfryModel", "CCrypto", hosted("GRDB", "GRDB.swift"),
                hosted("GRDBSQLite", "GRDB.swift"),
            ]),
        .target(name: "BelfryJournal", dependencies: ["BelfryPostgres", "BelfryModel", "CLZ4", "CLinux"]),
        .target(name: "BelfrySignals", dependencies: ["BelfryModel", "CSimdJSON"]),
        .target(
            name: "BelfryConfiguration",
            dependencies: ["BelfryEngine", "BelfryModel", "CBelfry", hosted("Yams", "Yams")]),
        .target(
            name: "BelfryPluginHost",
            dependencies: [
                "BelfryEngine", "BelfryHandlers", "BelfryZones", "BelfryModel", "CBelfry", "CCrypto", "CLinux",
            ]),
        .target(
            name: "BelfryCore",
            dependencies: [
                "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryHandlers", "BelfryEngine",
                "BelfryModel",
                "CBelfry", "CLinux", hosted("HeapModule", "swift-collections"),
            ]),
        .target(
            name: "BelfryLibrary",
            dependencies: ["BelfryCore", "BelfryEngine", "BelfryModel", "CBelfryCore", "CLinux"],
            exclude: ["exports.map"],
            linkerSettings: [
                .unsafeFlags(
                    standardLibrary + [
                        "-use-ld=lld", "-Xlinker", "-soname=libbelfry.so", "-Xlinker",
                        "--version-script=\(Context.packageDirectory)/Sources/BelfryLibrary/exports.map",
                    ])
            ]),
        .target(
            name: "BelfryRuntime",
            dependencies: [
                "BelfryCore", "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryEngine", "BelfryStore",
                "BelfryJournal", "BelfryModel", "CBelfry", "CLinux", hosted("HeapModule", "swift-collections"),
            ]),
        .target(
            name: "BelfrySimulation",
            dependencies: [
                "BelfryCore", "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryEngine", "BelfryModel",
                "CSimulationPage", hosted("HeapModule", "swift-collections"),
            ]),
        .target(
            name: "BelfryPluginCheck",
            dependencies: [
                "BelfryCore", "BelfryPluginHost", "BelfryEngine", "BelfryHandlers", "BelfryModel", "CBelfry", "CLinux",
            ]),
        .target(
            name: "BelfryTesting",
            dependencies: [
                "BelfryPlugin", "BelfryEngine", "BelfryHandlers", "BelfryZones", "BelfryModel", "CBelfry",
            ]),
        .target(name: "BelfryStoreTesting", dependencies: ["BelfryStore", "BelfryModel"]),
        .target(
            name: "BelfryDelivery",
            dependencies: [
                "BelfryRuntime", "BelfryCore", "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost",
                "BelfryEngine", "BelfryJournal",
                "BelfryModel", "CCrypto", "CCurl", "CLinux", "CSystemd", hosted("NIOHTTP1", "swift-nio"),
                hosted("DequeModule", "swift-collections"), hosted("HeapModule", "swift-collections"),
            ]),
        .target(
            name: "BelfryService",
            dependencies: [
                "BelfryRuntime", "BelfryDelivery", "BelfryCore", "BelfrySignals", "BelfryConfiguration",
                "BelfryPluginHost",
                "BelfryEngine", "BelfryStore", "BelfryJournal", "BelfryModel", "CCrypto", "CLinux",
                "CServicePages", "CZlib", hosted("DequeModule", "swift-collections"),
                hosted("Hummingbird", "hummingbird"),
                hosted("HummingbirdCore", "hummingbird"),
                hosted("HTTPTypes", "swift-http-types"),
                hosted("ServiceLifecycle", "swift-service-lifecycle"),
                hosted("UnixSignals", "swift-service-lifecycle"),
                hosted("Logging", "swift-log"), hosted("NIOCore", "swift-nio"), hosted("NIOHTTP1", "swift-nio"),
                hosted("NIOExtras", "swift-nio-extras"), hosted("NIOHTTPTypes", "swift-nio-extras"),
                hosted("NIOPosix", "swift-nio"),
                hosted("Yams", "Yams"),
            ]),
        .executableTarget(
            name: "BelfryCommand",
            dependencies: [
                "BelfryRuntime", "BelfrySimulation", "BelfryPluginCheck", "BelfryCore", "BelfrySignals",
                "BelfryConfiguration", "BelfryPluginHost", "BelfryEngine", "BelfryStore", "BelfryModel",
                "BelfryDelivery", "BelfryService", "CCurl", "CLinux", "CTemplates",
                hosted("ArgumentParser", "swift-argument-parser"),
            ]),
        .target(
            name: "Once", dependencies: ["CBelfry"], path: "Plugins/Once", publicHeadersPath: ".",
            // In C: nothing of Swift starts in it, nor is needed.
            linkerSettings: exports(standardLibrary + ["-nostartfiles"])),

        // Input of fuzz tests, always optimized: it has to come faster than it is taken.
        .target(
            name: "FuzzInput", dependencies: ["BelfryModel"], path: "Tests/FuzzInput",
            swiftSettings: [.unsafeFlags(["-O"])]),
        .target(name: "PostgresServer", path: "Tests/PostgresServer"),
        // They run the `belfry` that was built, which lies beside the tests.
        .testTarget(
            name: "BelfryCommandTests",
            dependencies: [
                "BelfryCommand", "BelfryDelivery", "BelfryRuntime", "BelfrySimulation", "BelfryPluginCheck",
                "BelfryCore", "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryEngine", "BelfryStore",
                "BelfryJournal", "BelfryModel", "BelfryPostgres",
                "BelfryService", "CCrypto", "CZlib", "FuzzInput", "PostgresServer",
                hosted("GRDB", "GRDB.swift"), hosted("NIOCore", "swift-nio"), hosted("NIOEmbedded", "swift-nio"),
                hosted("NIOHTTP1", "swift-nio"), hosted("NIOHTTPTypesHTTP1", "swift-nio-extras"),
                hosted("NIOHTTPTypes", "swift-nio-extras"), hosted("HTTPTypes", "swift-http-types"),
            ],
            exclude: ["Fuzz/Corpus", "Golden", "Plugins", "Reliability/strike.c"]),
        .testTarget(
            name: "BelfryHostTests",
            dependencies: [
                "BelfryCommand", "BelfryDelivery", "BelfryRuntime", "BelfrySimulation", "BelfryPluginCheck",
                "BelfryCore", "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryEngine",
                "BelfryJournal", "BelfryModel", "CBelfry",
            ],
            exclude: ["Trust/ed25519.txt"]),
        .testTarget(
            name: "BelfryJournalTests",
            dependencies: ["BelfryJournal", "BelfryPostgres", "BelfryModel", "PostgresServer"]),
        .testTarget(name: "CBelfryTests", exclude: ["contract-r1.txt"]),
        .testTarget(name: "BelfryModelTests", dependencies: ["BelfryModel"]),
        .testTarget(
            name: "BelfryEngineTests",
            dependencies: ["BelfryEngine", "BelfryPlugin", "BelfryZones", "BelfryModel", "CBelfry", "FuzzInput"]),
        .testTarget(
            name: "BelfryStoreTests",
            dependencies: [
                "BelfryStore", "BelfryStoreTesting", "BelfryPostgres", "BelfryModel", "PostgresServer",
                hosted("GRDB", "GRDB.swift"),
            ]),
        .testTarget(
            name: "BelfryHandlersTests", dependencies: ["BelfryEngine", "BelfryHandlers", "BelfryModel", "CBelfry"]),
        .testTarget(name: "BelfryPluginTests", dependencies: ["BelfryPlugin"]),
        .testTarget(name: "BelfryTestingTests", dependencies: ["BelfryPlugin", "BelfryTesting"]),
        .testTarget(
            name: "BundledPluginTests",
            dependencies: [
                "BelfryEngine", "BelfryRuntime", "BelfrySimulation", "BelfryPluginCheck", "BelfryCore", "BelfrySignals",
                "BelfryConfiguration", "BelfryPluginHost", "BelfryModel", "BelfryTesting", "CBelfry",
            ]),
        // They run what the documentation shows, with the `belfry` that was built.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "BelfryCommand", "BelfryRuntime", "BelfrySimulation", "BelfryPluginCheck", "BelfryCore",
                "BelfrySignals", "BelfryConfiguration", "BelfryPluginHost", "BelfryStore", "BelfryTesting",
            ],
            exclude: ["Samples", "base.yaml"]),
        // The C plugin for its tests: its source, with the entry function under another name.
        .target(name: "OnceSource", dependencies: ["CBelfry"], path: "Tests/PluginTests/OnceSource"),
        .testTarget(
            name: "OnceTests", dependencies: ["OnceSource", "BelfryPlugin", "BelfryTesting"],
            path: "Tests/PluginTests/Once"),
    ] + swiftPlugins.map(plugin) + swiftPlugins.map(pluginTests),
    cxxLanguageStandard: .cxx17
)
