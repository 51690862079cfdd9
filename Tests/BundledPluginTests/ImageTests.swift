import Foundation
import Testing

@testable import BelfryPluginHost

/// What the compiled files export, need and contain.
@Suite struct ImageTests {
    @Test(arguments: BundledPlugins.names)
    func `a plugin exports its entry and nothing else`(name: String) throws {
        let file = try FileHandle(forReadingFrom: BundledPlugins.file(name))
        let size = try file.seekToEnd()
        let symbols = try ELFSymbols(descriptor: file.fileDescriptor, size: Int(size))
        #expect(symbols.definedNames(prefix: "") == ["belfry_plugin_entry_v1"])
    }

    @Test(arguments: BundledPlugins.names)
    func `a plugin does without Foundation`(name: String) throws {
        let image = try Data(contentsOf: BundledPlugins.file(name))
        #expect(image.contains("libswiftCore.so"), "this test looks for the names of libraries, and should find one")
        #expect(!image.contains("libFoundation"))
    }

    /// A plugin is found and loaded when it is there: `belfry` must not carry one, nor the kit that plugins are written with.
    @Test(arguments: BundledPlugins.names + ["BelfryPlugin"])
    func `belfry links no strategy`(module: String) throws {
        let image = try Data(contentsOf: BundledPlugins.folder.appending(path: "belfry"))
        #expect(image.contains("$s13BelfryRuntime"), "this test looks for symbols of modules, and should find one")
        #expect(!image.contains("$s\(module.utf8.count)\(module)"))
        #expect(image.contains("\0libswiftCore.so\0"), "this test looks for libraries it needs, and should find one")
        #expect(!image.contains("\0libBelfry\(module).so\0"))
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
