import BelfryConfiguration
import CTemplates
import Foundation

/// A package to begin a plugin with: one of those in `Templates/`, under another name.
struct PluginTemplate {
    enum Language: String, CaseIterable {
        case swift, c, rust

        var title: String {
            switch self {
            case .swift: "Swift"
            case .c: "C"
            case .rust: "Rust"
            }
        }

        /// Builds the plugin and tests it.
        var testCommand: String { self == .swift ? "swift test" : "make test" }
    }

    /// What the plugin offers.
    enum Kind: String, CaseIterable {
        case strategy, filter, action, sink
    }

    let language: Language
    let kind: Kind
    let name: PluginName
    /// Of a package in Swift.
    let belfry: BelfrySource?

    /// Makes the folder; whatever is there already is left alone, and refused.
    func write(to folder: URL) throws {
        guard !FileManager.default.fileExists(atPath: folder.path) else {
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    '\(folder.relativePath)' is there already
                      why: a new package is made in a folder of its own
                      fix: take another name or another --directory, or remove it
                    """)
        }
        do {
            for (path, text) in Self.files(language, kind) {
                let file = folder.appending(path: renamed(path))
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(renamed(text).utf8).write(to: file)
            }
        } catch {
            throw CommandFailure(
                status: .failed,
                message: """
                    cannot make '\(folder.relativePath)'
                      why: \(error.fileReason)
                      fix: check the folder that it is to be in, or take another --directory
                    """)
        }
    }

    /// By their path inside the package.
    static func files(_ language: Language, _ kind: Kind) -> [(path: String, text: String)] {
        UnsafeBufferPointer(start: belfry_template_first(), count: belfry_template_count).filter {
            // Without a kind it is for each.
            String(cString: $0.language) == language.rawValue
                && $0.kind.map { String(cString: $0) == kind.rawValue } ?? true
        }.map {
            (
                String(cString: $0.path),
                String(decoding: UnsafeBufferPointer(start: $0.bytes, count: $0.length), as: UTF8.self)
            )
        }
    }

    /// The templates are packages themselves, of a plugin `my-plugin`.
    private func renamed(_ text: String) -> String {
        var text = text
        if let belfry {
            text = text.replacing(".package(name: \"belfry\", path: \"../../..\", traits: [])", with: belfry.dependency)
                .replacing("package: \"belfry\"", with: "package: \"\(belfry.package)\"")
        }
        return text.replacing("my-plugin", with: name.id).replacing("MyPlugin", with: name.type)
            .replacing("my_plugin", with: name.identifier)
    }
}
