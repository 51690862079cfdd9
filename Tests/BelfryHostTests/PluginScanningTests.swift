import BelfryModel
import Foundation
import Testing

@testable import BelfryPluginHost

/// Plugins that would take this process down, met in a child process.
@Suite struct PluginScanningTests {
    private static let report = "  fix: report it to the plugin's author; until then remove the file"

    @Test(arguments: [
        ("crash-during-scan", "it crashed with signal SIGSEGV while being scanned"),
        ("exit-during-scan", "the process that scanned it ended with status 0 without an answer"),
    ])
    func `what ends the scan is refused, and the plugin beside it is listed`(sin: String, why: String) throws {
        let catalog = try PluginFolder(sin, "well-behaved").catalog()
        #expect(catalog.manifests.map(\.id) == ["example.well-behaved"])
        #expect(
            catalog.refusals.map(\.description) == [
                "cannot load plugin '\(sin).so'\n  why: \(why)\n\(Self.report)"
            ])
    }

    @Test func `what never comes back is refused when its time is up`() throws {
        let folder = try PluginFolder("hang-during-scan", "well-behaved")
        let impatient = try folder.scanner(deadline: .milliseconds(100))
        let refusal = #expect(throws: PluginRefusal.self) {
            try impatient.scan(path: folder.file("hang-during-scan").path)
        }
        #expect(
            refusal?.description
                == "cannot load plugin 'hang-during-scan.so'\n  why: it did not answer within 100ms while being scanned\n\(Self.report)"
        )
        #expect(
            try folder.scanner().scan(path: folder.file("well-behaved").path).manifest?.id == "example.well-behaved")
    }

    @Test func `what stops its process is refused at once`() throws {
        let refusal = try PluginFolder("stop-during-scan").catalog().refusals.first
        #expect(
            refusal?.description
                == "cannot load plugin 'stop-during-scan.so'\n  why: it stopped its process while being scanned\n\(Self.report)"
        )
    }

    @Test func `what a plugin prints does not spoil the answer`() throws {
        #expect(try PluginFolder("chatty").catalog().manifests.map(\.id) == ["example.chatty"])
    }

    @Test func `a refusal of the child names the original file and keeps what was printed`() throws {
        let folder = try PluginFolder("null-root")
        let refusal = try folder.catalog().refusals.first
        #expect(refusal?.path == folder.file("null-root").path)
        #expect(refusal?.differences.first?.code == .declined)
    }

    @Test func `an answer that is none is refused`() throws {
        let folder = try PluginFolder("well-behaved")
        let echo = try folder.scanner(executable: "/bin/echo")
        let refusal = #expect(throws: PluginRefusal.self) {
            try echo.scan(path: folder.file("well-behaved").path)
        }
        #expect(refusal?.differences.map(\.code) == [.noAnswer])
        #expect(
            refusal?.differences.first?.why.hasSuffix("ended with status 0 after an answer that is not one")
                == true)
    }

    @Test func `an executable that is not there is told`() throws {
        let folder = try PluginFolder("well-behaved")
        let nobody = try folder.scanner(executable: "/nonexistent/belfry")
        let refusal = #expect(throws: PluginRefusal.self) {
            try nobody.scan(path: folder.file("well-behaved").path)
        }
        #expect(
            refusal?.differences.first?.why
                == "'/nonexistent/belfry' cannot be started to scan it: No such file or directory")
    }

    @Test func `a manifest is kept by contents, a broken one is made again`() throws {
        let folder = try PluginFolder("well-behaved")
        let path = folder.file("well-behaved").path
        let manifest = try folder.scanner().scan(path: path).manifest
        let cached = try folder.scanner(executable: "/nonexistent/belfry")
        #expect(try cached.scan(path: path).manifest == manifest)

        let copies = URL(filePath: try folder.copies().folder)
        for file in try FileManager.default.contentsOfDirectory(at: copies, includingPropertiesForKeys: nil)
        where file.pathExtension == "json" {
            try Data("{".utf8).write(to: file)
        }
        #expect(throws: PluginRefusal.self) { try cached.scan(path: path) }
        #expect(try folder.scanner().scan(path: path).manifest == manifest)
    }

    @Test func `a refusal is not kept`() throws {
        let folder = try PluginFolder("init-fails")
        let path = folder.file("init-fails").path
        let first = #expect(throws: PluginRefusal.self) { try folder.scanner().scan(path: path) }
        #expect(first?.differences.map(\.code) == [.declined])
        let second = #expect(throws: PluginRefusal.self) {
            try folder.scanner(executable: "/nonexistent").scan(path: path)
        }
        #expect(second?.differences.map(\.code) == [.noAnswer])
    }

    @Test func `a file that is no plugin is refused when it was named`() throws {
        let folder = try PluginFolder("no-entry")
        let refusal = #expect(throws: PluginRefusal.self) {
            try folder.scanner().scan(path: folder.file("no-entry").path)
        }
        #expect(refusal?.differences.map(\.code) == [.notAPlugin])
    }

    @Test func `what is no plugin is passed over, and what it is instead is known`() throws {
        let folder = try PluginFolder("no-entry", "well-behaved")
        let files = FileManager.default
        var unlinked = try Data(contentsOf: Misbehaving.file("no-entry"))
        // `e_type`: ET_REL.
        unlinked[16] = 1
        try unlinked.write(to: folder.file("unlinked"))
        try Data().write(to: folder.file("empty"))
        try Data(repeating: 0x23, count: 100).write(to: folder.file("text"))
        try files.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
        try files.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "nowhere.so")
        try #require(mkfifo(folder.file("pipe").path, 0o600) == 0)
        let catalog = try folder.catalog()
        #expect(catalog.manifests.count == 1 && catalog.refusals.isEmpty)
        #expect(
            catalog.passedOver.map { "\(fileName(of: $0.path)): \($0.why)" } == [
                "empty.so: it is empty", "folder.so: it is a folder", "link.so: it is a link to nowhere",
                "no-entry.so: it does not export 'belfry_plugin_entry_v1'", "pipe.so: it is no regular file",
                "text.so: it is no shared object", "unlinked.so: it is an object file that was not linked",
            ])
        #expect(
            catalog.missingStrategy("polit").description == """
                no strategy named 'polit'
                  why: the plugins in '\(folder.path)' offer polite
                  why: 'empty.so' is no plugin: it is empty
                  why: 'folder.so' is no plugin: it is a folder
                  why: 'link.so' is no plugin: it is a link to nowhere
                  why: and 4 more are none; see 'belfry plugins'
                  fix: did you mean 'polite'?
                """)
        let refusal = #expect(throws: PluginRefusal.self) {
            try folder.scanner().scan(path: folder.file("unlinked").path)
        }
        #expect(refusal?.differences.map(\.fix) == ["link it with -shared"])
    }

    @Test func `libraries beside the executable are not told as passed over`() throws {
        let folder = try PluginFolder("no-entry")
        let executable = folder.url.appending(path: "belfry").path
        #expect(try folder.catalog().passedOver.count == 1)
        try Data().write(to: URL(filePath: executable))
        let own = try folder.scanner(executable: executable)
        #expect(PluginCatalog.scan(folder.search, with: own).passedOver.isEmpty)
    }

    @Test func `two files with one id are told, by their names`() throws {
        let folder = try PluginFolder("duplicate-id", "well-behaved")
        let catalog = try folder.catalog()
        #expect(catalog.manifests.count == 1)
        let why = try #require(catalog.refusals.first?.differences.first?.why)
        #expect(
            why.contains(folder.file("duplicate-id").path) && why.contains(folder.file("well-behaved").path))
    }

    @Test func `the provider of a strategy is found`() throws {
        let folder = try PluginFolder("rich", "well-behaved")
        let catalog = try folder.catalog()
        #expect(catalog.provider(ofStrategy: "rich")?.path == folder.file("rich").path)
        #expect(catalog.provider(ofStrategy: "ritch")?.path == nil)
    }

    @Test func `a missing strategy is told with what there is and what was meant`() throws {
        let folder = try PluginFolder("rich", "well-behaved", "null-root")
        #expect(
            try folder.catalog().missingStrategy("polit").description == """
                no strategy named 'polit'
                  why: the plugins in '\(folder.path)' offer polite and rich
                  why: 'null-root.so' was refused and may have it; see 'belfry plugins'
                  fix: did you mean 'polite'?
                """)
        #expect(
            MissingStrategy(name: "digest", folders: [], offered: []).description == """
                no strategy named 'digest'
                  why: no plugin folder was given
                  fix: put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' ('bundled' is that of belfry)
                """)
    }
}
