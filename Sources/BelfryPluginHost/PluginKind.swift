/// What the dynamic symbols of a file say about it, read without running any of it.
package enum PluginKind: Equatable {
    /// No ELF64 file, or one without an entry: an ordinary library, a linker script, anything.
    case notAPlugin
    /// Exports the entry of this host's ABI major.
    case plugin
    /// Exports entries of other ABI majors only.
    case otherABI(majors: [UInt32])
    /// A plugin for another processor than this one.
    case otherMachine
    /// An ELF file that ends before its own tables do.
    case damaged(String)

    package static let entryPrefix = "belfry_plugin_entry_v"

    init(descriptor: Int32, size: Int) {
        do {
            self.init(try ELFSymbols(descriptor: descriptor, size: size))
        } catch {
            switch error {
            case .notELF: self = .notAPlugin
            case .damaged(let how): self = .damaged(how)
            }
        }
    }

    private init(_ symbols: ELFSymbols) {
        let majors = symbols.definedNames(prefix: Self.entryPrefix).compactMap { UInt32($0) }.sorted()
        guard !majors.isEmpty else {
            self = .notAPlugin
            return
        }
        guard majors.contains(1) else {
            self = .otherABI(majors: majors)
            return
        }
        self = symbols.machine == ELFSymbols.thisMachine ? .plugin : .otherMachine
    }
}
