// swift-tools-version: 6.2
import PackageDescription

// What things cost: docs/performance.md. A package of its own, so that nobody who builds or tests Belfry builds this.
let package = Package(
    name: "belfry-benchmarks",
    dependencies: [
        .package(name: "belfry", path: ".."),
        // Without its traits, which want jemalloc.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .target(name: "CHandlers", dependencies: [.product(name: "BelfryHandlers", package: "belfry")]),
        .executableTarget(
            name: "Handlers",
            dependencies: [
                "CHandlers", .product(name: "BelfryHandlers", package: "belfry"),
                .product(name: "Benchmark", package: "benchmark"),
            ],
            path: "Benchmarks/Handlers", plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
    ]
)
