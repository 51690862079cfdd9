import Foundation

/// What fuzz tests change: input in which everything occurs.
enum FuzzCorpus {
    static var configuration: String { get throws { try text("everything.yaml") } }
    static var signals: String { get throws { try text("signals.jsonl") } }

    private static func text(_ name: String) throws -> String {
        let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        return try String(contentsOf: folder.appending(path: "Corpus/\(name)"), encoding: .utf8)
    }
}
