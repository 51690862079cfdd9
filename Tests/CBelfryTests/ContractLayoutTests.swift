import Foundation
import Testing

/// A released struct never changes: its size, its alignment, and the place and declaration of every member are compared with
/// `contract-r1.txt`. A new struct, or a new revision, adds to that file; nothing in it ever changes.
///
/// `BELFRY_RECORD=1 swift test --filter ContractLayoutTests` writes the file again. That run fails, so it is never an accident.
@Suite struct ContractLayoutTests {
    private let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "contract-r1.txt")

    @Test func `no released struct has changed`() throws {
        let found = try layout(of: ReleasedStruct.all())
        if ProcessInfo.processInfo.environment["BELFRY_RECORD"] != nil {
            try found.write(to: table, atomically: true, encoding: .utf8)
            Issue.record("'contract-r1.txt' was written again; look at the difference, then run without BELFRY_RECORD")
            return
        }
        let released = try String(contentsOf: table, encoding: .utf8)
        let changes = Self.changes(from: released.split(separator: "\n"), to: found.split(separator: "\n"))
        #expect(changes == [], "the contract is not what was released")
    }

    private static func changes(from released: [Substring], to found: [Substring]) -> [String] {
        let difference = found.difference(from: released)
        return (difference.removals + difference.insertions).map { change in
            switch change {
            case .remove(_, let line, _): "released: \(line)"
            case .insert(_, let line, _): "now:      \(line)"
            }
        }
    }

    @Test(arguments: try! Compiler.headers(), Compiler.Language.allCases)  // without headers there is nothing to test
    func `each header is accepted alone`(header: String, language: Compiler.Language) throws {
        let (status, messages) = try Compiler.run(
            language, ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"], "#include \"\(header)\"\n")
        #expect(status == 0, "\(messages)")
    }

    /// Has a C program print what the compiler makes of each struct.
    private func layout(of structs: [ReleasedStruct]) throws -> String {
        let program = """
            #include <stdio.h>
            #include <stddef.h>
            #include "belfry.h"
            #include "belfry_core.h"
            int main(void) {
            \(structs.map(\.probe).joined())
            return 0;
            }

            """
        let executable = FileManager.default.temporaryDirectory.appending(path: "belfry-layout-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: executable) }
        let (status, messages) = try Compiler.run(.c, ["-o", executable.path], program)
        try #require(status == 0, "\(messages)")
        return try output(of: executable, []).output
    }
}

/// A struct of the contract as its header declares it.
private struct ReleasedStruct {
    let tag: String
    let members: [(name: String, declaration: String)]

    /// Of all headers, in the order of their files.
    static func all() throws -> [ReleasedStruct] {
        try Compiler.headers().flatMap { header in
            let text = try Compiler.text(of: header)
            return text.replacing(/\/\/[^\n]*/, with: "").matches(of: /struct\s+(belfry_\w+)\s*\{([^}]*)\}/).map {
                ReleasedStruct(tag: String($0.1), members: $0.2.split(separator: ";").compactMap(member))
            }
        }
    }

    private static func member(_ declaration: Substring) -> (name: String, declaration: String)? {
        let declaration = declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // `(*name)(` of a function, else the last word, perhaps with `[4]` after it.
        guard
            let name = declaration.firstMatch(of: /\(\*(\w+)\)\(/)?.1
                ?? declaration.firstMatch(of: /(\w+)(\[\d+\])?$/)?.1
        else { return nil }
        return (String(name), declaration)
    }

    var probe: String {
        let head = #"printf("\#(tag): %zu bytes, aligned to %zu\n", sizeof(struct \#(tag)), _Alignof(struct \#(tag)));"#
        let lines = members.map { member in
            #"printf("%5zu %3zu  %s\n", offsetof(struct \#(tag), \#(member.name)), "#
                + #"sizeof(((struct \#(tag) *)0)->\#(member.name)), "\#(member.declaration)");"#
        }
        return ([head] + lines).joined(separator: "\n") + "\n"
    }
}

enum Compiler {
    enum Language: String, CaseIterable {
        case c, cPlusPlus

        fileprivate var command: [String] {
            self == .c ? ["cc", "-std=c11", "-x", "c"] : ["c++", "-std=c++17", "-x", "c++"]
        }
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        .standardizedFileURL
    static let folders = ["CBelfry", "CBelfryCore"].map { sources.appending(path: "\($0)/include") }

    /// As they are included.
    static func headers() throws -> [String] {
        let parts = try FileManager.default.contentsOfDirectory(atPath: folders[0].appending(path: "belfry").path)
        return ["belfry.h"] + parts.sorted().map { "belfry/\($0)" } + ["belfry_core.h"]
    }

    static func text(of header: String) throws -> String {
        let place = folders.map { $0.appending(path: header) }.first { FileManager.default.fileExists(atPath: $0.path) }
        return try String(contentsOf: place!, encoding: .utf8)  // it is one of `headers`
    }

    /// Compiles a text; the messages are the compiler's.
    static func run(_ language: Language, _ options: [String], _ source: String) throws -> (
        status: Int32, messages: String
    ) {
        let file = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try source.write(to: file, atomically: true, encoding: .utf8)
        let arguments = language.command + folders.flatMap { ["-I", $0.path] } + options + [file.path]
        let (status, text) = try output(of: URL(filePath: "/usr/bin/env"), arguments)
        return (status, text)
    }
}

/// Runs a program to its end.
private func output(of program: URL, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
}
