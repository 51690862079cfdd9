import Foundation

/// The files that Swift samples of the pages are parts of.
enum SwiftSamples {
    static let plugin = "Examples/patience/Sources/Patience/Patience.swift"
    static let test = "Examples/patience/Tests/PatienceTests/PatienceTests.swift"
    static let embedding = "Tests/DocumentationTests/Embedding.swift"
    static let others = "Tests/DocumentationTests/Samples"

    static var files: [URL] {
        get throws {
            let more = try FileManager.default.contentsOfDirectory(atPath: Page.repository.appending(path: others).path)
            // The template is built by `FromNothingTests`, the embedding with these tests.
            return [plugin, test, embedding, "Templates/swift/common/Package.swift"].map {
                Page.repository.appending(path: $0)
            }
                + more.filter { $0.hasSuffix(".swift") }.map { Page.repository.appending(path: "\(others)/\($0)") }
        }
    }

    /// Compiles them against the modules that were built with these tests, as far as the types.
    static var script: String {
        """
        set -e
        modules="-swift-version 6 -I \(Workplace.products.path)/Modules -I $BELFRY/Sources/CBelfry/include -I $BELFRY/Sources/CFFI"
        # Where some toolchains keep the macros of Testing; others have them where the compiler looks anyway.
        macros="$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins/testing"
        swiftc -emit-module -module-name Patience -enable-testing -parse-as-library $modules "$BELFRY/\(plugin)" -o Patience.swiftmodule
        swiftc -typecheck -parse-as-library $modules -I . -plugin-path "$macros" "$BELFRY/\(test)"
        swiftc -typecheck -parse-as-library $modules -plugin-path "$macros" "$BELFRY/\(others)"/*.swift
        """
    }
}

extension [String] {
    /// Whether the other list is a part of this one, without gaps.
    func contains(_ part: [String]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
