import Foundation
import Synchronization

/// A folder of its own for a test, gone when the test is.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "belfry-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    var contents: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

/// Names for one file after the other.
final class FileNames: Sendable {
    private let count = Mutex(0)

    func next() -> String {
        count.withLock { $0 += 1 }
        return last
    }

    var last: String { "\(count.withLock { $0 }).db" }
}
