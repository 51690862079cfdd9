import Foundation
import Testing

/// Plugins in Swift that bring their own standard library, as they ship: host and plugin may be built by different compilers,
/// because nothing of either's library is seen by the other.
@Suite struct StandaloneTests {
    @Test func `a plugin with the standard library inside exports its entry alone, needs no Swift, and works`() throws {
        let place = try Workplace(["belfry.yaml": "app: shop\nplugins: { directories: [plugins] }\n"])
        try PluginFiles.compileSwift("handlers", into: place.file("plugins"), "-static-stdlib")
        let (status, symbols) = try place.shell("nm -D --defined-only plugins/handlers.so | cut -d' ' -f3")
        #expect(status == 0 && symbols == "belfry_plugin_entry_v1\n", "\(symbols)")
        let (_, needed) = try place.shell("readelf -d plugins/handlers.so | grep -E 'NEEDED|RUNPATH|RPATH'")
        #expect(!needed.contains("swift") && !needed.contains("PATH"), "\(needed)")
        let list = try place.belfry("plugins")
        #expect(list.status == 0 && !list.output.contains("cannot load"), "\(list.output)")
        let check = try place.belfry("plugins", "check", "plugins/handlers.so", "--fuzz", "50")
        #expect(check.status == 0, "\(check.output)")
    }
}
