// swift-tools-version: 6.2
import PackageDescription

let belfry = "belfry"

/// As the bundled plugins are linked.
let exports: [LinkerSetting] = [
    .unsafeFlags([
        "-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/../Plugins/exports.map",
    ])
]

// What things cost: docs/performance.md. A package of its own, so that users of Belfry do not build this.
let package = Package(
    name: "belfry-benchmarks",
    products: [
        .library(name: "BelfryNoopC", type: .dynamic, targets: ["NoopC"]),
        .library(name: "BelfryNoopSwift", type: .dynamic, targets: ["NoopSwift"]),
        .executable(name: "Measure", targets: ["Measure"]),
        .executable(name: "Echo", targets: ["Echo"]),
    ],
    dependencies: [
        .package(name: belfry, path: ".."),
        // Without its traits, which want jemalloc.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    ],
    targets: [
        .target(
            name: "NoopC", dependencies: [.product(name: "BelfryPlugin", package: belfry)], path: "Plugins/NoopC",
            linkerSettings: exports),
        .target(
            name: "NoopSwift", dependencies: [.product(name: "BelfryPlugin", package: belfry)],
            path: "Plugins/NoopSwift", linkerSettings: exports),
        .target(name: "CCount"),
        .target(name: "CHandlers", dependencies: [.product(name: "BelfryHandlers", package: belfry)]),
        .target(
            name: "Workloads",
            dependencies: [
                .product(name: "BelfryCore", package: belfry), .product(name: "BelfryStore", package: belfry),
            ]),
        .executableTarget(name: "Echo", dependencies: [.product(name: "Hummingbird", package: "hummingbird")]),
        .executableTarget(
            name: "Measure",
            dependencies: ["CCount", "Workloads", .product(name: "BelfryRuntime", package: belfry)]),
        .executableTarget(
            name: "Handlers",
            dependencies: [
                "CHandlers", .product(name: "BelfryHandlers", package: belfry),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Handlers", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
        .executableTarget(
            name: "Parts",
            dependencies: ["CCount", "Workloads", .product(name: "Benchmark", package: "benchmark")],
            path: "Benchmarks/Parts", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
