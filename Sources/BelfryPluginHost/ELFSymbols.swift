import Glibc

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

/// The dynamic symbol table of an ELF64 little-endian file (System V ABI, "Object Files").
///
/// Found through the section headers, which `strip` keeps. Only headers and the two tables are read, never
/// the code, so that looking at a large library beside the plugins is cheap. Nothing in the file is believed:
/// every offset is checked.
package struct ELFSymbols {
    package enum Failure: Error {
        case notELF
        case damaged(String)
    }

    /// `e_machine` of the host.
    static var thisMachine: UInt16 {
        #if arch(x86_64)
            62
        #elseif arch(arm64)
            183
        #else
            #error("name this machine's e_machine")
        #endif
    }

    let machine: UInt16
    private var symbols: [UInt8] = []
    private var names: [UInt8] = []

    package init(descriptor: Int32, size: Int) throws(Failure) {
        guard size >= 64 else { throw .notELF }
        let header = try Self.read(descriptor, at: 0, count: 64, size: size, what: "its header")
        // Magic, ELFCLASS64, ELFDATA2LSB.
        guard header[0..<6].elementsEqual([0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { throw .notELF }
        machine = header.integer(at: 18)
        let count = Int(header.integer(at: 60) as UInt16)
        guard count > 0, header.integer(at: 58) as UInt16 == 64 else { return }
        let sections = try Self.read(
            descriptor, at: header.integer(at: 40), count: UInt64(count * 64), size: size,
            what: "its section headers")
        try findTables(sections: sections, descriptor: descriptor, size: size)
    }

    private mutating func findTables(sections: [UInt8], descriptor: Int32, size: Int) throws(Failure) {
        let dynamicSymbols: UInt32 = 11  // SHT_DYNSYM
        for start in stride(from: 0, to: sections.count, by: 64)
        where sections.integer(at: start + 4) as UInt32 == dynamicSymbols {
            let link = Int(sections.integer(at: start + 40) as UInt32) * 64
            guard link + 64 <= sections.count else { throw .damaged("its symbols name no text section") }
            symbols = try Self.readSection(sections, start, descriptor, size, what: "its dynamic symbols")
            names = try Self.readSection(sections, link, descriptor, size, what: "its symbol names")
            return
        }
    }

    /// What follows `prefix` in the names of symbols that are defined and visible from outside.
    package func definedNames(prefix: String) -> [String] {
        let prefix = Array(prefix.utf8)
        return stride(from: 0, to: symbols.count / 24 * 24, by: 24).compactMap { start -> String? in
            let binding = symbols[start + 4] >> 4
            let isDefined = symbols.integer(at: start + 6) as UInt16 != 0
            // STB_GLOBAL or STB_WEAK
            guard isDefined, binding == 1 || binding == 2 else { return nil }
            let name = names.dropFirst(Int(symbols.integer(at: start) as UInt32))
            guard name.starts(with: prefix) else { return nil }
            return String(decoding: name.dropFirst(prefix.count).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func readSection(
        _ sections: [UInt8], _ start: Int, _ descriptor: Int32, _ size: Int, what: String
    ) throws(Failure) -> [UInt8] {
        try read(
            descriptor, at: sections.integer(at: start + 24), count: sections.integer(at: start + 32),
            size: size, what: what)
    }

    private static func read(
        _ descriptor: Int32, at offset: UInt64, count: UInt64, size: Int, what: String
    ) throws(Failure) -> [UInt8] {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= UInt64(size) else {
            throw .damaged(
                "\(what) would end at byte \(overflow ? "2^64" : String(end)); the file has \(size)")
        }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard pread(descriptor, &bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw .damaged("\(what) cannot be read")
        }
        return bytes
    }
}

extension [UInt8] {
    /// The little-endian integer at an offset that the caller has checked.
    fileprivate func integer<Integer: FixedWidthInteger>(at offset: Int) -> Integer {
        withUnsafeBytes { Integer(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Integer.self)) }
    }
}
