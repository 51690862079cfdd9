import BelfryPluginHost
import Foundation

/// Where a package in Swift finds Belfry.
enum BelfrySource {
    /// A checkout, with an absolute path.
    case path(String)
    case url(String)

    /// - Parameter option: a checkout or a URL; nil: the checkout that this command was built from.
    init(option: String?) throws {
        guard let option else {
            guard Self.isCheckout(Self.built) else {
                throw CommandFailure(
                    status: .wrongUse,
                    message: """
                        cannot tell where the package would find Belfry
                          why: the checkout that this command was built from is gone: '\(Self.built)'
                          fix: say where it is, with --belfry PATH or --belfry URL
                        """)
            }
            self = .path(Self.built)
            return
        }
        if option.contains("://") || option.hasPrefix("git@") {
            self = .url(option)
            return
        }
        let path = URL(filePath: option).standardizedFileURL.path
        guard Self.isCheckout(path) else {
            throw CommandFailure(
                status: .wrongUse,
                message:
                    "'\(option)' is no checkout of Belfry\n  why: it has no Sources/BelfryPlugin\n  fix: give its folder, or the URL of a repository"
            )
        }
        self = .path(path)
    }

    /// What `dependencies` of a manifest says. Without the trait of the host, nothing else has to be fetched.
    var dependency: String {
        switch self {
        case .path(let path): ".package(name: \"belfry\", path: \"\(path)\", traits: [])"
        case .url(let url): ".package(url: \"\(url)\", from: \"\(belfryVersion)\", traits: [])"
        }
    }

    /// What its products are found by: for a URL, SwiftPM takes the last part without `.git`.
    var package: String {
        switch self {
        case .path: "belfry"
        case .url(let url):
            url.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map {
                $0.hasSuffix(".git") ? $0.dropLast(4) : $0
            }
            .map(String.init) ?? "belfry"
        }
    }

    /// The checkout that this file was compiled in: Sources/BelfryCommand/New lies three folders below it.
    private static let built = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    private static func isCheckout(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path + "/Sources/BelfryPlugin")
    }
}
