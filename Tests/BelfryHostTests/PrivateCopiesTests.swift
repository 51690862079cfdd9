import Foundation
import Testing

@testable import BelfryPluginHost

/// Notes on which files are the same as which private copies.
@Suite struct PrivateCopiesTests {
    @Test func `what was compared before is not read again`() throws {
        let folder = try PluginFolder("well-behaved", "chatty")
        let copies = try folder.notingCopies()
        let (quiet, chatty) = (folder.file("well-behaved").path, folder.file("chatty").path)
        _ = try copies.copyForTest(quiet)
        let other = try copies.copyForTest(chatty)
        // A note is believed: the file itself would show that this one is wrong.
        let note = try #require(try notes(copies).first { try text($0).contains(try stamp(of: quiet).text) })
        let wrong = [try stamp(of: quiet).text, try stamp(of: other).text, URL(filePath: other).lastPathComponent]
        try Data(wrong.joined(separator: "\n").utf8).write(to: note)
        #expect(try copies.copyForTest(quiet) == other)
    }

    @Test func `a file that was changed is read again, also if it is as long as before`() throws {
        let folder = try PluginFolder("well-behaved")
        let (copies, file) = (try folder.notingCopies(), folder.file("well-behaved"))
        let first = try copies.copyForTest(file.path)
        var bytes = try Data(contentsOf: file)
        let (before, end) = (try stamp(of: file.path), bytes.count - 1)
        bytes[end] ^= 1
        // A system may count time in steps.
        repeat { try bytes.write(to: file) } while try stamp(of: file.path) == before
        let second = try copies.copyForTest(file.path)
        #expect(second != first)
        #expect(try Data(contentsOf: URL(filePath: second)) == bytes)
    }

    @Test func `a copy that was changed is not used, whatever the note says`() throws {
        let folder = try PluginFolder("well-behaved")
        let (copies, file) = (try folder.notingCopies(), folder.file("well-behaved").path)
        let first = try copies.copyForTest(file)
        #expect(try notes(copies).count == 1)
        try FileManager.default.removeItem(atPath: first)
        try Data("changed".utf8).write(to: URL(filePath: first))
        #expect(try copies.copyForTest(file) != first)
    }

    @Test func `a note that makes no sense is no note`() throws {
        let folder = try PluginFolder("well-behaved")
        let (copies, file) = (try folder.notingCopies(), folder.file("well-behaved").path)
        let first = try copies.copyForTest(file)
        let note = try #require(try notes(copies).first)
        let own = try stamp(of: file).text
        for text in ["", "1 2 3", "\(own)\n\(own)\n../plugins/well-behaved.so", "\(own)\n\(own)\n"] {
            try Data(text.utf8).write(to: note)
            #expect(try copies.copyForTest(file) == first)
        }
    }

    @Test func `nothing is noted of a file that has just been written`() throws {
        let folder = try PluginFolder("well-behaved")
        let copies = try folder.copies()
        _ = try copies.copyForTest(folder.file("well-behaved").path)
        #expect(try notes(copies).isEmpty)
    }

    private func notes(_ copies: PrivateCopies) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: URL(filePath: copies.folder), includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "same" }
    }

    private func text(_ note: URL) throws -> String { String(decoding: try Data(contentsOf: note), as: UTF8.self) }

    private func stamp(of path: String) throws -> FileStamp { try #require(FileStamp(path: path)) }
}
