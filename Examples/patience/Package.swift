// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "patience",
    products: [.library(name: "Patience", type: .dynamic, targets: ["Patience"])],
    dependencies: [.package(name: "belfry", path: "../..")],
    targets: [
        .target(name: "Patience", dependencies: [.product(name: "BelfryPlugin", package: "belfry")]),
        .testTarget(
            name: "PatienceTests", dependencies: ["Patience", .product(name: "BelfryTesting", package: "belfry")]),
    ]
)
