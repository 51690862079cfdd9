import CBelfry
import Glibc

/// The code of one plugin in this process. The only place that calls the system's loader.
package struct PluginImage {
    private typealias Entry = @convention(c) (UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>?
    private let entry: Entry

    /// Loads the private copy at `path`. Code of the plugin may run: its constructors.
    ///
    /// There is no way back. RTLD_NODELETE, and no `dlclose` anywhere: the Swift runtime registers the
    /// metadata of an image when it is loaded and cannot take it back, so that closing one leaves records
    /// that point nowhere.
    package init(opening path: String) throws(PluginRefusal.Difference) {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) else {
            throw PluginRefusal.Difference(
                .notLoadable, why: "the system's loader refused it: \(Self.loaderError(without: path))",
                fix: "install what it needs where the loader finds it, or link that into the plugin; "
                    + "it is loaded from a private copy, so libraries beside it are not found")
        }
        guard let symbol = dlsym(handle, "belfry_plugin_entry_v1") else {
            throw PluginRefusal.Difference(
                .notAPlugin, why: "it does not export 'belfry_plugin_entry_v1'",
                fix: "export that function, and nothing else")
        }
        // The contract gives this name this type; there is nothing else to check it by.
        entry = unsafeBitCast(symbol, to: Entry.self)
    }

    /// Asks the plugin for its root; NULL when it will not work with this host. [setup]
    func root(for host: UnsafePointer<belfry_host>) -> UnsafePointer<belfry_plugin>? {
        var hello = belfry_hello()
        hello.magic = BELFRY_MAGIC
        hello.abi_major = BELFRY_ABI_MAJOR
        hello.abi_minor = BELFRY_ABI_MINOR
        hello.host_version = host.pointee.version
        return withUnsafePointer(to: hello) { entry($0) }
    }

    /// The loader's sentence, without the name of the private copy, which tells a reader nothing.
    private static func loaderError(without path: String) -> String {
        guard let text = dlerror() else { return "no reason given" }
        let sentence = String(cString: text)
        return sentence.hasPrefix(path + ": ") ? String(sentence.dropFirst(path.count + 2)) : sentence
    }
}
