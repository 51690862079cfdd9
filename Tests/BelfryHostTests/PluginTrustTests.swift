import Foundation
import Testing

@testable import BelfryPluginHost

/// Which files are read at all, and where they are loaded from.
@Suite struct PluginTrustTests {
    @Test func `a file that everybody may write is refused`() throws {
        let folder = try PluginFolder("well-behaved")
        try folder.setMode(0o646, of: folder.file("well-behaved"))
        let (plugins, refusals) = try folder.load()
        #expect(plugins.isEmpty)
        #expect(
            refusals.map(\.description) == [
                """
                cannot load plugin 'well-behaved.so'
                  why: everybody may write to it (mode 646)
                  fix: chmod o-w '\(folder.file("well-behaved").path)'
                """
            ])
    }

    @Test func `a folder that everybody may write is not searched, sticky or not`() throws {
        let folder = try PluginFolder("well-behaved")
        try folder.setMode(0o1777, of: folder.url)
        let (plugins, refusals) = try folder.load()
        #expect(plugins.isEmpty)
        #expect(
            refusals.map(\.description) == [
                """
                cannot search plugin folder '\(folder.path)'
                  why: everybody may write to it (mode 1777)
                  fix: chmod o-w '\(folder.path)'
                """
            ])
    }

    @Test func `what only the group may write is fine`() throws {
        let folder = try PluginFolder("well-behaved")
        try folder.setMode(0o775, of: folder.url)
        try folder.setMode(0o664, of: folder.file("well-behaved"))
        #expect(try folder.load().plugins.count == 1)
    }

    @Test func `a folder that is not there is told`() throws {
        let search = PluginSearch(folders: ["/nonexistent/plugins"])
        #expect(
            search.candidates().refused.map(\.description) == [
                """
                cannot search plugin folder '/nonexistent/plugins'
                  why: there is no such folder
                  fix: create it, or correct 'plugins: directories' or BELFRY_PLUGIN_PATH
                """
            ])
    }

    @Test func `a link out of the folder is refused, one within is followed`() throws {
        let folder = try PluginFolder("well-behaved")
        let outside = folder.root.appending(path: "outside.so")
        try FileManager.default.copyItem(at: Misbehaving.file("chatty"), to: outside)
        try FileManager.default.createSymbolicLink(at: folder.file("escape"), withDestinationURL: outside)
        try FileManager.default.createSymbolicLink(
            at: folder.file("alias"), withDestinationURL: folder.file("well-behaved"))
        let (plugins, refusals) = try folder.load()
        #expect(plugins.map(\.path) == [folder.file("alias").path])
        #expect(refusals.map(\.path) == [folder.file("escape").path])
        #expect(refusals.first?.differences.first?.code == .untrusted)
    }

    @Test func `a file that was cut short is told, not loaded`() throws {
        let folder = try PluginFolder()
        let whole = try Data(contentsOf: Misbehaving.file("well-behaved"))
        try whole.prefix(whole.count / 2).write(to: folder.file("half"))
        let (plugins, refusals) = try folder.load()
        #expect(plugins.isEmpty)
        #expect(refusals.first?.differences.first?.code == .damaged)
        #expect(
            refusals.first?.differences.first?.why.hasPrefix(
                "it is cut short: its section headers would end at byte") == true)
    }

    @Test func `symbols that lie outside the file are damage, never a read out of bounds`() throws {
        let whole = try Array(Data(contentsOf: Misbehaving.file("well-behaved")))
        let folder = try PluginFolder()
        // Every field of the file's header set to ones, one at a time: whatever is found, nothing traps.
        for offset in 4..<64 {
            var bytes = whole
            bytes[offset] = 0xff
            try Data(bytes).write(to: folder.file("mutant"))
            _ = try? PluginFile(path: folder.file("mutant").path, inside: nil)?.kind
        }
    }

    @Test func `the executable's folder is searched first, then the path of the environment`() {
        let search = PluginSearch(
            executable: "/usr/bin/env", environment: ["BELFRY_PLUGIN_PATH": "/b::/a:/b"])
        #expect(search.folders == ["/usr/bin", "/b", "/a"])
    }

    @Test func `a copy is private, named by its contents and made once`() throws {
        let folder = try PluginFolder("well-behaved", "chatty")
        let copies = try folder.copies()
        let first = try copies.copyForTest(folder.file("well-behaved").path)
        let second = try copies.copyForTest(folder.file("chatty").path)
        #expect(first != second)
        #expect(try copies.copyForTest(folder.file("well-behaved").path) == first)
        #expect(try mode(first) == 0o500)
        #expect(try mode(copies.folder) == 0o700)
    }

    @Test func `a copy that somebody changed is not used and not overwritten`() throws {
        let folder = try PluginFolder("well-behaved")
        let copies = try folder.copies()
        let first = try copies.copyForTest(folder.file("well-behaved").path)
        try FileManager.default.removeItem(atPath: first)
        try Data("changed".utf8).write(to: URL(filePath: first))
        let second = try copies.copyForTest(folder.file("well-behaved").path)
        #expect(second != first)
        #expect(try Data(contentsOf: URL(filePath: first)) == Data("changed".utf8))
        #expect(FileManager.default.contentsEqual(atPath: second, andPath: folder.file("well-behaved").path))
    }

    @Test func `without a home copies live in a temporary folder that goes with them`() throws {
        var copies: PrivateCopies? = try PrivateCopies(environment: ["HOME": "/dev/null"])
        let folder = try #require(copies?.folder)
        #expect(try mode(folder) == 0o700)
        copies = nil
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
