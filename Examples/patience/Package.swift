// swift-tools-version: 6.2
import PackageDescription

/// The entry is exported, and nothing else: symbols of two plugins must not meet in one process.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "patience",
    products: [.library(name: "Patience", type: .dynamic, targets: ["Patience"])],
    // Without its traits, which are for the host, nothing else has to be fetched.
    dependencies: [.package(name: "belfry", path: "../..", traits: [])],
    targets: [
        .target(
            name: "Patience", dependencies: [.product(name: "BelfryPlugin", package: "belfry")],
            linkerSettings: exports),
        .testTarget(
            name: "PatienceTests", dependencies: ["Patience", .product(name: "BelfryTesting", package: "belfry")]),
    ]
)
