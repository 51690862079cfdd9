import Glibc

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
            UInt16(EM_X86_64)
        #elseif arch(arm64)
            UInt16(EM_AARCH64)
        #else
            #error("name this machine's e_machine")
        #endif
    }

    let machine: UInt16
    private var symbols: [Elf64_Sym] = []
    /// Each ends with a zero, and there is one more at the end.
    private var names: [CChar] = [0]

    package init(descriptor: Int32, size: Int) throws(Failure) {
        let header = try Self.header(descriptor, size: size)
        machine = header.e_machine
        guard header.e_shnum > 0, header.e_shentsize == MemoryLayout<Elf64_Shdr>.size else { return }
        let sections: [Elf64_Shdr] = try Self.read(
            descriptor, at: header.e_shoff, count: UInt64(header.e_shnum) * UInt64(header.e_shentsize), size: size,
            what: "its section headers")
        guard let table = sections.first(where: { $0.sh_type == SHT_DYNSYM }) else { return }
        guard table.sh_link < sections.count else { throw .damaged("its symbols name no text section") }
        let texts = sections[Int(table.sh_link)]
        symbols = try Self.read(
            descriptor, at: table.sh_offset, count: table.sh_size, size: size, what: "its dynamic symbols")
        names = try Self.read(
            descriptor, at: texts.sh_offset, count: texts.sh_size, size: size, what: "its symbol names")
        names.append(0)
    }

    /// The header of a file, if it is an ELF64 file at all.
    static func header(_ descriptor: Int32, size: Int) throws(Failure) -> Elf64_Ehdr {
        guard size >= MemoryLayout<Elf64_Ehdr>.size else { throw .notELF }
        let header: Elf64_Ehdr = try read(
            descriptor, at: 0, count: UInt64(MemoryLayout<Elf64_Ehdr>.size), size: size, what: "its header")[0]
        let magic = (0x7f as UInt8, 0x45 as UInt8, 0x4c as UInt8, 0x46 as UInt8, UInt8(ELFCLASS64), UInt8(ELFDATA2LSB))
        let first = header.e_ident
        guard (first.0, first.1, first.2, first.3, first.4, first.5) == magic else { throw .notELF }
        return header
    }

    /// What follows `prefix` in the names of symbols that are defined and visible from outside.
    package func definedNames(prefix: String) -> [String] {
        names.withUnsafeBufferPointer { names in
            symbols.compactMap { symbol in
                // Most are those that it needs, and not its own.
                if symbol.st_shndx == 0 || symbol.st_name >= names.count { return nil }
                let binding = Int32(symbol.st_info >> 4)
                guard binding == STB_GLOBAL || binding == STB_WEAK else { return nil }
                let name = names.baseAddress! + Int(symbol.st_name)
                guard strncmp(name, prefix, prefix.utf8.count) == 0 else { return nil }
                return String(cString: name + prefix.utf8.count)
            }
        }
    }

    /// - Parameter count: of bytes.
    private static func read<Element: BitwiseCopyable>(
        _ descriptor: Int32, at offset: UInt64, count: UInt64, size: Int, what: String
    ) throws(Failure) -> [Element] {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= UInt64(size) else {
            throw .damaged(
                "\(what) would end at byte \(overflow ? "2^64" : String(end)); the file has \(size)")
        }
        let wanted = Int(count) / MemoryLayout<Element>.stride
        let elements = [Element](unsafeUninitializedCapacity: wanted) { elements, number in
            let bytes = wanted * MemoryLayout<Element>.stride
            let isRead = pread(descriptor, elements.baseAddress, bytes, off_t(offset)) == bytes
            number = isRead ? wanted : 0
        }
        guard elements.count == wanted else { throw .damaged("\(what) cannot be read") }
        return elements
    }
}
