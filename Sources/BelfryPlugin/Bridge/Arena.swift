/// Memory for C structs.
final class Arena {
    enum Lifetime {
        /// As long as the arena.
        case arena
        /// Valid until the process ends, as the contract asks of tables.
        case process
    }

    private let lifetime: Lifetime
    private var blocks: [UnsafeMutableRawPointer] = []

    init(_ lifetime: Lifetime = .arena) {
        self.lifetime = lifetime
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Nil becomes an absent text.
    func text(_ text: String?) -> belfry_text {
        guard let text else { return belfry_text() }
        let bytes = allocate(CChar.self, max(text.utf8.count, 1))  // empty is not absent: it has an address
        for (index, byte) in text.utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        return belfry_text(bytes: bytes, length: UInt64(text.utf8.count))
    }

    /// An array in C; nil for no elements.
    func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element>? {
        if elements.isEmpty { return nil }
        let copy = allocate(Element.self, elements.count)
        copy.initialize(from: elements, count: elements.count)
        return UnsafePointer(copy)
    }

    /// `key` is that of a member of a map.
    func value(_ value: Value, key: String? = nil) -> belfry_value {
        var raw = belfry_value()
        raw.key = text(key)
        switch value {
        case .null: raw.kind = BELFRY_NULL
        case .bool(let bool):
            raw.kind = BELFRY_BOOLEAN
            raw.integer = bool ? 1 : 0
        case .integer(let integer):
            raw.kind = BELFRY_INTEGER
            raw.integer = integer
            raw.number = Double(integer)
        case .number(let number):
            raw.kind = BELFRY_NUMBER
            raw.number = number
        case .text(let content):
            raw.kind = BELFRY_TEXT
            raw.text = text(content)
        case .list(let list): fill(&raw, BELFRY_LIST, list.map { self.value($0) })
        case .map(let fields): fill(&raw, BELFRY_MAP, fields.entries.map { self.value($0.value, key: $0.key) })
        }
        return raw
    }

    private func fill(_ raw: inout belfry_value, _ kind: UInt32, _ items: [belfry_value]) {
        raw.kind = kind
        raw.items = copy(items)
        raw.count = UInt64(items.count)
    }

    private func allocate<Element>(_ type: Element.Type, _ count: Int) -> UnsafeMutablePointer<Element> {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: count)
        if lifetime == .arena { blocks.append(memory) }
        return memory
    }
}
