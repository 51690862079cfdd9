import Foundation
import Testing

@testable import BelfryCommand

@Suite struct NewPluginTests {
    private let place = Result { try Workplace() }

    @Test(arguments: PluginTemplate.Language.allCases, PluginTemplate.Kind.allCases)
    func `the package has the files of its template, under its own name`(
        language: PluginTemplate.Language, kind: PluginTemplate.Kind
    ) throws {
        let place = try place.get()
        let result = try place.belfry(
            "plugins", "new", "quiet-sundays", "--language", language.rawValue, "--kind", kind.rawValue)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        #expect(
            result.output == """
                made the \(kind.rawValue) 'quiet-sundays' in \(language.title): quiet-sundays
                next:
                  cd quiet-sundays
                  \(language.testCommand)
                  belfry run --signals signals.jsonl

                """)
        let folder = "Templates/\(language.rawValue)/\(kind.rawValue)"
        let template = try Self.files(in: PluginFiles.repository.appending(path: folder))
        let made = try Self.files(in: place.file("quiet-sundays"))
        #expect(
            made.keys.sorted() == template.keys.map(Self.renamed).sorted(), "a file of Templates is not in templates.c")
        for (path, text) in template where path != "Package.swift" {
            #expect(made[Self.renamed(path)] == Self.renamed(text), "\(path)")
        }
    }

    private static func renamed(_ text: String) -> String {
        text.replacing("my-plugin", with: "quiet-sundays").replacing("MyPlugin", with: "QuietSundays")
            .replacing("my_plugin", with: "quiet_sundays")
    }

    /// By path; without what a build leaves.
    private static func files(in folder: URL) throws -> [String: String] {
        var files: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.resolvingSymlinksInPath().path) {
            if [".build", "plugins", "build", "target", "module.modulemap"].contains(name) { continue }
            let item = folder.appending(path: name).resolvingSymlinksInPath()
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: item.path, isDirectory: &isFolder)
            if isFolder.boolValue {
                for (path, text) in try self.files(in: item) { files["\(name)/\(path)"] = text }
            } else {
                files[name] = try String(contentsOf: item, encoding: .utf8)
            }
        }
        return files
    }

    @Test func `a package in Swift depends on this checkout, or on what is said, without the trait of the host`() throws
    {
        let place = try place.get()
        func manifest(_ name: String, _ options: String...) throws -> String {
            let result = try place.belfry(["plugins", "new", name] + options, input: Data())
            #expect(result.status == 0, "\(result.errors)")
            return try place.text(of: "\(name)/Package.swift")
        }
        let here = try manifest("one")
        #expect(here.contains(#".package(name: "belfry", path: "\#(PluginFiles.repository.path)", traits: [])"#))
        #expect(here.contains(#".product(name: "BelfryPlugin", package: "belfry")"#))
        let there = try manifest("two", "--belfry", "https://git.example/tools/Belfry.git")
        #expect(there.contains(#".package(url: "https://git.example/tools/Belfry.git", from: "0.1.0", traits: [])"#))
        #expect(there.contains(#".product(name: "BelfryTesting", package: "Belfry")"#))
    }

    @Test func `a name that a plugin of the configuration has is refused`() throws {
        let place = try place.get()
        try PluginFiles.compile([PluginFiles.misbehaving("Hooks/steady")], into: place.file("plugins"))
        try place.write("app: shop\nplugins: { directories: [plugins] }\n", to: "belfry.yaml")
        let result = try place.belfry("plugins", "new", "steady", "--language", "c", "--config", "belfry.yaml")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                cannot make a plugin 'steady'
                  why: './plugins/steady.so' has that name already, and stands beside it
                  fix: choose another name

                """)
        #expect(
            try place.belfry("plugins", "new", "other", "--language", "c", "--config", "belfry.yaml").status == 0)
    }

    @Test func `a folder that cannot be made is told in the words of the system`() throws {
        let place = try Workplace(["plain": ""])
        let result = try place.belfry("plugins", "new", "quiet", "--language", "c", "--directory", "plain/quiet")
        #expect(result.status == 1)
        #expect(
            result.errors == """
                cannot make 'plain/quiet'
                  why: Not a directory
                  fix: check the folder that it is to be in, or take another --directory

                """)
    }

    @Test(arguments: [
        (
            ["Quiet"],
            "'Quiet' cannot be the name of a plugin\n  why: it does not begin with a small letter, has other characters"
        ),
        (["quiet--sundays"], "single hyphens"), (["7-days"], "'quiet-sundays'"),
        (["plugin"], "'plugin' cannot be the name of a plugin\n  why: that word means something already"),
        (["null"], "in the sources of a plugin\n  fix: take another, for example 'my-null'"),
        (["vec", "--language", "rust"], "that word means something already"),
        (["sink-test", "--kind", "sink"], "for example 'my-sink-test'"),
        (
            ["cooldown"],
            "Belfry brings a plugin, strategy, action or sink of that name\n  fix: take another, for example 'my-cooldown'"
        ),
        (["max-per-period"], "Belfry brings a plugin"), (["dial", "--kind", "action"], "Belfry brings a plugin"),
        (["webhook", "--kind", "sink"], "Belfry brings a plugin"), (["web-push"], "Belfry brings a plugin"),
        (["there"], "'there' is there already\n  why: a new package is made in a folder of its own"),
        (["new", "--directory", "there"], "'there' is there already"),
        (["new", "--belfry", "there"], "'there' is no checkout of Belfry\n  why: it has no Sources/BelfryPlugin"),
        (["new", "--language", "c", "--belfry", "."], "--belfry is for --language swift"),
        (["new", "--language", "go"], "'go'"), (["new", "--kind", "plan"], "'plan'"),
    ])
    func `what cannot be made is told, and nothing is left behind`(arguments: [String], says: String) throws {
        let place = try place.get()
        try FileManager.default.createDirectory(at: place.file("there"), withIntermediateDirectories: true)
        let result = try place.belfry(["plugins", "new"] + arguments, input: Data())
        #expect(result.status == 2 && result.output == "")
        #expect(result.errors.contains(says), "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.url.path) == ["there"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.file("there").path) == [])
    }
}
