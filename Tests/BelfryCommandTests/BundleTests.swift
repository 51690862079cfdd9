import Foundation
import Testing

/// A configuration with its plugins as one file.
@Suite struct BundleTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            include: [more/*.yaml]
            plugins: { directories: [bundled, plugins] }
            chain: [ { strategy: faulty }, { strategy: cooldown, parameters: { period: 1h } } ]
            """
        ])
        try FileManager.default.createDirectory(at: place.file("more"), withIntermediateDirectories: true)
        try place.write("campaigns: [ { id: sale } ]", to: "more/campaigns.yaml")
        try FileManager.default.createDirectory(at: place.file("plugins"), withIntermediateDirectories: true)
        try PluginFiles.compile(
            [PluginFiles.own("faulty")], into: place.file("plugins"), defining: "POLITE", "RATE=1000")
    }

    private func bundle(_ output: String) throws {
        let result = try place.belfry("bundle", "--output", output)
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test func `an archive has all files, and the same ones give the same bytes`() throws {
        try bundle("a.tar")
        try bundle("b.tar")
        #expect(try Data(contentsOf: place.file("a.tar")) == Data(contentsOf: place.file("b.tar")))
        let files = try place.belfry("bundle", "verify", "a.tar").lines.dropFirst(2)
        #expect(
            files.map { $0.trimmingCharacters(in: .whitespaces) }.prefix(2) == ["belfry.yaml", "more/campaigns.yaml"])
        #expect(files.count == 3 && files.last?.contains(" plugins/") == true && files.last?.hasSuffix(".so") == true)
    }

    @Test func `what is unpacked is there as a whole or not at all`() throws {
        try bundle("a.tar")
        let files = FileManager.default
        // Of a process with this number that was killed, and one that is still at it.
        try files.createDirectory(at: place.file(".left.1"), withIntermediateDirectories: true)
        try files.createDirectory(at: place.file("there/belfry.yaml"), withIntermediateDirectories: true)
        let refused = try place.belfry("bundle", "unpack", "a.tar", "--output", "there")
        #expect(refused.status == 1 && refused.errors.contains("'there' is there already"))
        let results = try (0..<3).map { _ in try place.belfry("bundle", "unpack", "a.tar", "--output", "new").status }
        #expect(results == [0, 1, 1])
        #expect(try place.belfry("bundle", "verify", "new").status == 0)
        let rest = try files.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix(".new") }
        #expect(rest.isEmpty)
    }

    @Test func `a folder without a name is refused`() throws {
        for command in [["bundle"], ["bundle", "unpack", "a.tar"]] {
            try bundle("\(command.count).tar")
            try? FileManager.default.copyItem(at: place.file("1.tar"), to: place.file("a.tar"))
            let result = try place.belfry(command + ["--output", ""], input: Data())
            #expect(result.status == 2 && result.errors.contains("--output is empty"), "\(result.errors)")
        }
    }

    @Test func `a folder behind a link does not belong to a bundle`() throws {
        try bundle("folder")
        try FileManager.default.createDirectory(at: place.file("elsewhere"), withIntermediateDirectories: true)
        try place.write("campaigns: [ { id: more } ]", to: "elsewhere/more.yaml")
        try FileManager.default.createSymbolicLink(
            atPath: place.file("folder/link").path, withDestinationPath: "../elsewhere")
        let result = try place.belfry("bundle", "verify", "folder")
        #expect(result.status == 2 && result.errors.contains("'link' does not belong to it"), "\(result.errors)")
    }

    /// As Kubernetes mounts a ConfigMap.
    @Test func `a configuration that is a link is bundled by its name`() throws {
        let files = FileManager.default
        try files.createDirectory(at: place.file("versions"), withIntermediateDirectories: true)
        try files.moveItem(at: place.file("belfry.yaml"), to: place.file("versions/one.yaml"))
        try files.createSymbolicLink(atPath: place.file("belfry.yaml").path, withDestinationPath: "versions/one.yaml")
        try bundle("a.tar")
        #expect(try place.belfry("bundle", "unpack", "a.tar", "--output", "unpacked").status == 0)
        let check = try place.belfry("config", "check", "--config", "unpacked/belfry.yaml")
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test func `what is unpacked decides what the original decides`() throws {
        try bundle("a.tar")
        #expect(try place.belfry("bundle", "unpack", "a.tar", "--output", "unpacked").status == 0)
        let signal =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
            + "\n"
        let original = try place.belfry("run", "--store", "memory:", input: signal)
        let unpacked = try place.belfry("run", "--config", "unpacked/belfry.yaml", "--store", "memory:", input: signal)
        #expect(unpacked.output == original.output && unpacked.lines.count == 1, "\(unpacked.errors)")
    }

    @Test(arguments: ["belfry.yaml", "more/campaigns.yaml"]) func `a file that is changed or missing is named`(
        name: String
    ) throws {
        try bundle("folder")
        try place.write("app: other\n", to: "folder/\(name)")
        let changed = try place.belfry("bundle", "verify", "folder")
        #expect(
            changed.status == 2 && changed.errors.contains("why: '\(name)' has digest sha256:"), "\(changed.errors)")
        try FileManager.default.removeItem(at: place.file("folder/\(name)"))
        let missing = try place.belfry("bundle", "verify", "folder")
        #expect(missing.status == 2 && missing.errors.contains("why: '\(name)' is missing"), "\(missing.errors)")
    }

    @Test func `a file that is not listed is named`() throws {
        try bundle("folder")
        try place.write("", to: "folder/more/else.yaml")
        let result = try place.belfry("bundle", "verify", "folder")
        #expect(
            result.status == 2 && result.errors.contains("'more/else.yaml' does not belong to it"), "\(result.errors)")
    }

    @Test func `an archive that is cut short is refused`() throws {
        try bundle("a.tar")
        try Data(contentsOf: place.file("a.tar")).prefix(3000).write(to: place.file("cut.tar"))
        let result = try place.belfry("bundle", "verify", "cut.tar")
        #expect(
            result.status == 2
                && result.errors == """
                    'cut.tar' is no whole bundle
                      why: it is no archive of files, or cut short
                      fix: make it again with 'belfry bundle', or copy it again

                    """
        )
    }

    @Test func `what lies elsewhere is refused`() throws {
        try FileManager.default.createDirectory(at: place.file("inner"), withIntermediateDirectories: true)
        try place.write("app: shop\ninclude: [../more/*.yaml]\n", to: "inner/belfry.yaml")
        let result = try place.belfry("bundle", "--config", "inner/belfry.yaml", "--output", "x.tar")
        #expect(result.status == 2 && result.errors.contains("it lies outside of"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: place.file("x.tar").path))
    }
}
