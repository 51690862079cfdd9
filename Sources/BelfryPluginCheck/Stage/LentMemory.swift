import CBelfry
import CLinux
import Glibc

/// Memory that tells when it is used against the rules: each piece stands alone at the end of its pages, with a page behind it
/// that must not be touched; it can be read only; and once it is taken back, touching it ends the process.
///
/// Addresses are not used again until all have been, so a pointer that was kept leads to a piece that was taken back.
final class LentMemory {
    private let base: UnsafeMutableRawPointer
    private let size: Int
    private var used = 0
    /// What is lent now, from the first page on.
    private var first = 0

    private static let page = Int(getpagesize())

    init(bytes size: Int = 1 << 30) {
        self.size = size
        let memory = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
        // Addresses cost nothing; a process without any left cannot go on.
        precondition(memory != MAP_FAILED, "no room for memory to lend")
        base = memory!
    }

    deinit { munmap(base, size) }

    /// Pages of its own for so many bytes, to be written and read.
    func room(_ count: Int, alignment: Int, _ name: String) -> UnsafeMutableRawPointer {
        let pages = max(1, (count + Self.page - 1) / Self.page) * Self.page
        let start = base + used
        used += pages + Self.page
        mprotect(start, pages, PROT_READ | PROT_WRITE)
        let place = start + (pages - (count + alignment - 1) / alignment * alignment)
        belfry_note_lent(place, count, start, start + pages, name)
        return place
    }

    /// A copy that can be read only.
    func lend(_ bytes: UnsafeRawBufferPointer, alignment: Int, _ name: String) -> UnsafeRawPointer {
        let place = room(bytes.count, alignment: alignment, name)
        if let source = bytes.baseAddress { place.copyMemory(from: source, byteCount: bytes.count) }
        let start = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: place) & ~UInt(Self.page - 1))
        mprotect(start, max(1, bytes.count), PROT_READ)
        return UnsafeRawPointer(place)
    }

    /// Everything that was lent since the last time is out of reach from now on.
    func takeBack() {
        guard used > first else { return }
        mprotect(base + first, used - first, PROT_NONE)
        madvise(base + first, used - first, MADV_DONTNEED)
        belfry_note_taken_back(base + first, base + used)
        // What one call is lent is far less than the rest.
        if used > size / 2 { used = 0 }
        first = used
    }
}

// MARK: What is lent

extension LentMemory {
    func lend<Struct: BitwiseCopyable>(_ value: Struct, _ name: String) -> UnsafePointer<Struct> {
        withUnsafeBytes(of: value) {
            lend($0, alignment: MemoryLayout<Struct>.alignment, name).assumingMemoryBound(to: Struct.self)
        }
    }

    func lend(text: belfry_text, _ name: String) -> UnsafePointer<belfry_text> {
        lend(copy(text, name), name)
    }

    func lend(_ candidate: belfry_candidate) -> UnsafePointer<belfry_candidate> {
        var copy = candidate
        for (member, name) in Self.candidateTexts {
            copy[keyPath: member] = self.copy(candidate[keyPath: member], "the candidate's \(name)")
        }
        copy.data = candidate.data.map { lend(value: $0, "the candidate's data") }
        copy.presentation = candidate.presentation.map { lend(value: $0, "the candidate's presentation") }
        copy.region_fields = candidate.region_fields.map { lend(value: $0, "the candidate's region_fields") }
        return lend(copy, "the candidate")
    }

    private static var candidateTexts: [(WritableKeyPath<belfry_candidate, belfry_text>, String)] {
        [
            (\.campaign, "campaign"), (\.trigger, "trigger"), (\.event, "event"), (\.region, "region"),
            (\.region_name, "region_name"), (\.notification, "notification"), (\.counter, "counter"),
            (\.title, "title"),
            (\.message, "message"), (\.handler, "handler"), (\.category, "category"),
        ]
    }

    func lend(_ context: belfry_context) -> UnsafePointer<belfry_context> {
        var copy = context
        copy.subject = self.copy(context.subject, "the context's subject")
        copy.channel = self.copy(context.channel, "the context's channel")
        return lend(copy, "the context")
    }

    func lend(_ receipt: belfry_receipt) -> UnsafePointer<belfry_receipt> {
        var copy = receipt
        copy.sink = self.copy(receipt.sink, "the receipt's sink")
        copy.reason = self.copy(receipt.reason, "the receipt's reason")
        return lend(copy, "the receipt")
    }

    /// A value with everything below it.
    func lend(value: UnsafePointer<belfry_value>, _ name: String) -> UnsafePointer<belfry_value> {
        lend(copy(value.pointee, name), name)
    }

    private func copy(_ value: belfry_value, _ name: String) -> belfry_value {
        var copy = value
        copy.text = self.copy(value.text, name)
        copy.key = self.copy(value.key, name)
        guard let items = value.items else { return copy }
        let copies = UnsafeBufferPointer(start: items, count: Int(value.count)).map { self.copy($0, name) }
        copy.items = copies.withUnsafeBytes {
            lend($0, alignment: MemoryLayout<belfry_value>.alignment, name).assumingMemoryBound(to: belfry_value.self)
        }
        return copy
    }

    private func copy(_ text: belfry_text, _ name: String) -> belfry_text {
        guard let bytes = text.bytes else { return text }
        let place = lend(UnsafeRawBufferPointer(start: bytes, count: Int(text.length)), alignment: 1, name)
        return belfry_text(bytes: place.assumingMemoryBound(to: CChar.self), length: text.length)
    }
}
