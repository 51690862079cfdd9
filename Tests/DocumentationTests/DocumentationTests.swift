import Foundation
import Testing

/// What the pages show is true: see `Page` for how a block says what it is.
@Suite struct DocumentationTests {
    @Test func `the pages are found`() {
        #expect(Page.all.count > 2)
    }

    @Test(arguments: Page.all) func `every configuration is one`(page: Page) throws {
        for block in page.blocks("yaml") {
            let isWhole = block.text.codeLines.first { !$0.hasPrefix("#") }?.hasPrefix("app:") == true
            #expect(isWhole != block.has("fragment"), page.place(block))
            // One in a file is for the commands that follow it, and with the plugins that those make.
            guard block.file == nil else { continue }
            let folder = try Workplace()
            try folder.write(isWhole ? block.text : Self.base(under: block.text), to: "belfry.yaml")
            let (status, output) = try folder.run("belfry config check")
            #expect(status == 0, "\(page.path):\(block.line): \(output)")
        }
    }

    @Test(arguments: Page.all) func `every command does what the page says`(page: Page) throws {
        let folder = try Workplace()
        var configuration = "belfry.yaml"
        var printed = ""
        for block in page.blocks {
            if let file = block.file {
                try folder.write(block.text, to: file)
                if block.language == "yaml" { configuration = file }
            }
            if block.language == "sh", block.has("run") {
                let (status, output) = try folder.run(block.text)
                #expect(
                    status == block.words.lazy.compactMap { Int32($0) }.first ?? 0,
                    "\(page.path):\(block.line): \(output)")
                printed = output
            } else if block.has("output") {
                let isJSON = block.language == "json"
                #expect(
                    isJSON ? printed.withoutJSONBlanks == block.text.withoutJSONBlanks : printed == block.text,
                    "\(page.path):\(block.line) shows something else than was printed:\n\(printed)")
            } else if block.has("signals") {
                try folder.write(block.text, to: ".signals.jsonl")
                let (status, output) = try folder.run(
                    "belfry run --config \(configuration) --store memory: --signals .signals.jsonl --output /dev/null")
                #expect(status == 0, "\(page.path):\(block.line): \(output)")
            }
        }
    }

    @Test(arguments: Page.all) func `every piece of JSON is JSON`(page: Page) throws {
        for block in page.blocks("json") {
            let isOne = Self.isJSON(block.text)
            #expect(isOne || block.has("output") || block.text.codeLines.allSatisfy(Self.isJSON), page.place(block))
        }
    }

    @Test(arguments: Page.all) func `every C sample compiles`(page: Page) throws {
        for block in page.blocks("c") {
            let folder = try Workplace()
            try folder.write(block.text, to: "sample.c")
            let (status, output) = try folder.run(
                #"cc -fsyntax-only -std=c11 -Wall -Wextra -pedantic -Werror -I "$BELFRY/Sources/CBelfry/include" -I "$BELFRY/Sources/CBelfryCore/include" sample.c"#
            )
            #expect(status == 0, "\(page.path):\(block.line): \(output)")
        }
    }

    @Test(arguments: Page.all) func `every Swift sample is part of one that compiles`(page: Page) throws {
        let files = try SwiftSamples.files.map { try String(contentsOf: $0, encoding: .utf8).codeLines }
        for block in page.blocks("swift") {
            let lines = block.text.codeLines
            #expect(files.contains { $0.contains(lines) }, page.place(block))
        }
    }

    @Test func `the Swift samples compile`() throws {
        let folder = try Workplace()
        let (status, output) = try folder.run(SwiftSamples.script)
        #expect(status == 0, "\(output)")
    }

    @Test(arguments: Page.all) func `every link leads somewhere`(page: Page) {
        let folder = Page.repository.appending(path: page.path).deletingLastPathComponent()
        for link in page.links where !link.contains("://") && !link.hasPrefix("#") {
            let file = folder.appending(path: String(link.prefix { $0 != "#" }))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page.path): \(link)")
        }
    }

    private static func isJSON(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
    }

    /// `base.yaml` with the top-level keys of the fragment in place of its own.
    private static func base(under fragment: String) throws -> String {
        let base = try String(
            contentsOf: Page.repository.appending(path: "Tests/DocumentationTests/base.yaml"), encoding: .utf8)
        func key(_ line: Substring) -> Substring? {
            line.first.map { $0.isLetter } == true ? line.prefix { $0 != ":" } : nil
        }
        let replaced = Set(fragment.split(separator: "\n").compactMap(key))
        var isKept = true
        let kept = base.split(separator: "\n").filter { line in
            if let key = key(line) { isKept = !replaced.contains(key) }
            return isKept
        }
        return kept.joined(separator: "\n") + "\n" + fragment
    }
}
