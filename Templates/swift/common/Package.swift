// swift-tools-version: 6.2
import PackageDescription

/// The entry is exported, and nothing else: symbols of two plugins must not meet in one process.
let exports: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map"])
]

let package = Package(
    name: "my-plugin",
    products: [.library(name: "MyPlugin", type: .dynamic, targets: ["MyPlugin"])],
    dependencies: [
        // Its traits are for the host: without them nothing else has to be fetched.
        .package(name: "belfry", path: "../../..", traits: [])
    ],
    targets: [
        .target(
            name: "MyPlugin", dependencies: [.product(name: "BelfryPlugin", package: "belfry")],
            linkerSettings: exports),
        .testTarget(
            name: "MyPluginTests", dependencies: ["MyPlugin", .product(name: "BelfryTesting", package: "belfry")]),
    ]
)
