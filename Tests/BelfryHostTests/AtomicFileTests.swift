import Foundation
import Testing

@testable import BelfryConfiguration

@Suite struct AtomicFileTests {
    @Test func `what a killed process of the same number left is replaced`() throws {
        let folder = try Folder(["belfry.yaml": "app: a\n"])
        let left = "belfry.yaml.\(ProcessInfo.processInfo.processIdentifier).tmp"
        try folder.write("app: half", to: left)
        try AtomicFile.write(folder.path("belfry.yaml"), text: "app: b\n")
        #expect(try folder.text(of: "belfry.yaml") == "app: b\n")
        #expect(!FileManager.default.fileExists(atPath: folder.path(left)))
    }
}
