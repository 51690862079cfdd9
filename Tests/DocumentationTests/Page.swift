import Foundation
import Testing

/// A page of the documentation, cut into its fenced blocks.
///
/// The words after the language of a fence say how its block is checked; a reader of the page does not see them:
///
///     yaml                    begins with `app:`: a whole configuration, which `belfry config check` accepts
///     yaml fragment           some of its top-level keys, in place of those of `base.yaml`
///     yaml|json|c|… FILE      is also written to that file in the page's folder, for the blocks that follow
///     json signals            lines that `belfry run` accepts with the configuration written last
///     sh run [STATUS]         is run in the page's folder and ends with that status, 0 if none is given
///     text output             what that run printed; `json output` the same, folded to be read
///     swift                   is part of a file in the repository that compiles
///     c                       compiles
struct Page: Sendable, CustomTestStringConvertible {
    struct Block: Sendable {
        let language: String
        let words: [String]
        let text: String
        /// Of the opening fence, from 1.
        let line: Int

        /// The file that the block is written to.
        var file: String? { words.first { $0.contains(".") } }
        func has(_ word: String) -> Bool { words.contains(word) }
    }

    /// Relative to the repository.
    let path: String
    let blocks: [Block]
    let links: [String]

    var testDescription: String { path }

    static let repository = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let all: [Page] = {
        let docs = (try? FileManager.default.contentsOfDirectory(atPath: repository.appending(path: "docs").path)) ?? []
        let pages = docs.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
        return (["README.md", "CONTRIBUTING.md"] + pages).compactMap { try? Page(path: $0) }
    }()

    init(path: String) throws {
        let text = try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8)
        self.path = path
        var blocks: [Block] = []
        var open: (words: [String], lines: [Substring], line: Int)?
        var links: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let isFence = line.hasPrefix("```")
            switch (open, isFence) {
            case (nil, true): open = (line.dropFirst(3).split(separator: " ").map(String.init), [], index + 1)
            case (nil, false): links += line.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
            case (let block?, true):
                let text = block.lines.map { $0 + "\n" }.joined()
                blocks.append(
                    Block(
                        language: block.words.first ?? "", words: Array(block.words.dropFirst()), text: text,
                        line: block.line))
                open = nil
            case (_?, false): open?.lines.append(line)
            }
        }
        (self.blocks, self.links) = (blocks, links)
    }

    func blocks(_ language: String) -> [Block] { blocks.filter { $0.language == language } }

    /// Where a block is, for messages.
    func place(_ block: Block) -> Comment { "\(path):\(block.line)" }
}

extension String {
    /// Without the blanks and line ends that JSON allows between its tokens.
    var withoutJSONBlanks: String {
        var result = ""
        var (isInText, isEscaped) = (false, false)
        for scalar in unicodeScalars {
            if !isInText, scalar.properties.isWhitespace { continue }
            result.unicodeScalars.append(scalar)
            if scalar == "\"", !isEscaped { isInText.toggle() }
            isEscaped = isInText && scalar == "\\" && !isEscaped
        }
        return result
    }

    /// Its lines, without indentation and blank ones.
    var codeLines: [String] {
        split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
}
