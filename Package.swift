// swift-tools-version: 6.2
import PackageDescription

/// A bundled strategy: a shared object that exports nothing but the entry point of the contract.
func plugin(_ name: String) -> Target {
    .target(
        name: name, dependencies: ["BelfryPlugin"], path: "Plugins/\(name)",
        // lld, because the default linker leaves local names in the dynamic symbol table.
        linkerSettings: [
            .unsafeFlags(["-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/exports.map"])
        ])
}

let plugins = ["Cooldown", "MaxPerPeriod", "Segmentation", "Actions"]

let package = Package(
    name: "belfry",
    products: [
        .library(name: "BelfryPlugin", targets: ["BelfryPlugin"]),
        .library(name: "BelfryTesting", targets: ["BelfryTesting"]),
        .library(name: "BelfryHost", targets: ["BelfryHost"]),
        .executable(name: "belfry", targets: ["BelfryCommand"]),
    ] + plugins.map { .library(name: "Belfry\($0)", type: .dynamic, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .target(name: "CBelfry"),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),
        .target(name: "BelfryModel"),
        .target(name: "BelfryPlugin", dependencies: ["CBelfry", "BelfryModel"]),
        .target(name: "BelfryEngine", dependencies: ["CBelfry", "BelfryModel"]),
        .target(name: "BelfryStore", dependencies: ["BelfryModel", .product(name: "GRDB", package: "GRDB.swift")]),
        .target(
            name: "BelfryHost",
            dependencies: [
                "BelfryEngine", "BelfryStore", "BelfryModel", "CBelfry", "CSimdJSON", "Yams",
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        .target(name: "BelfryTesting", dependencies: ["BelfryPlugin", "BelfryEngine", "BelfryStore", "BelfryModel"]),
        .executableTarget(
            name: "BelfryCommand",
            dependencies: ["BelfryHost", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
    ] + plugins.map(plugin),
    cxxLanguageStandard: .cxx17
)
