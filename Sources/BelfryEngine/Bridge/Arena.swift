import CBelfry
import BelfryModel

/// Memory that is handed out bit by bit and taken back all at once: what C borrows for the length of one decision.
///
/// After the first few decisions it no longer allocates.
package final class Arena {
    @exclusivity(unchecked) private var blocks: [UnsafeMutableRawBufferPointer] = []
    /// The block that memory comes from, and the addresses of what is free of it; nothing as long as there is none.
    @exclusivity(unchecked) private var block = 0
    @exclusivity(unchecked) private var free: Range<UInt> = 0..<0
    /// What is free of the first block when nothing is taken.
    @exclusivity(unchecked) private var first: Range<UInt> = 0..<0
    private static let blockSize = 16_384

    package init() {}

    deinit { for block in blocks { block.deallocate() } }

    /// Takes everything back. Pointers handed out before are invalid now.
    package func reset() {
        block = 0
        free = first
    }

    @inline(__always)
    package func allocate(bytes count: Int, alignment: Int = 16) -> UnsafeMutableRawPointer {
        let alignment = UInt(alignment)
        let start = (free.lowerBound + alignment - 1) & ~(alignment - 1)
        let end = start + UInt(count)
        guard end <= free.upperBound, let address = UnsafeMutableRawPointer(bitPattern: start) else {
            return allocateElsewhere(bytes: count)
        }
        free = Range(uncheckedBounds: (end, free.upperBound))
        return address
    }

    /// The same from the next block that is large enough.
    @inline(never)
    private func allocateElsewhere(bytes count: Int) -> UnsafeMutableRawPointer {
        repeat { block += 1 } while block < blocks.count && blocks[block].count < count
        if block >= blocks.count {
            block = blocks.count
            blocks.append(.allocate(byteCount: max(count, Self.blockSize), alignment: 64))
        }
        let start = blocks[block].baseAddress!
        let address = UInt(bitPattern: start)
        let end = address + UInt(blocks[block].count)
        if block == 0 { first = address..<end }
        free = address + UInt(count)..<end
        return start
    }

    package func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawPointer {
        let copy = allocate(bytes: max(1, bytes.count))
        if let source = bytes.baseAddress { copy.copyMemory(from: source, byteCount: bytes.count) }
        return UnsafeRawPointer(copy)
    }

    package func text(_ text: String?) -> belfry_text {
        guard let text else { return .absent }
        return text.withBytes { self.text(copying: $0) }
    }

    @inline(__always)
    func text(copying text: belfry_text) -> belfry_text {
        text.bytes == nil ? text : self.text(copying: text.utf8)
    }

    @inline(__always)
    private func text(copying utf8: UnsafeRawBufferPointer) -> belfry_text {
        let copy = allocate(bytes: max(1, utf8.count), alignment: 1)
        if let source = utf8.baseAddress { copy.copyMemory(from: source, byteCount: utf8.count) }
        return belfry_text(bytes: copy.assumingMemoryBound(to: CChar.self), length: UInt64(utf8.count))
    }

    package func value(_ value: Value?) -> UnsafePointer<belfry_value>? {
        guard let value else { return nil }
        let copy = array([value]) { c($0, key: nil) }
        return copy
    }

    private func array<Element>(_ elements: [Element], _ convert: (Element) -> belfry_value) -> UnsafePointer<
        belfry_value
    > {
        let stride = MemoryLayout<belfry_value>.stride
        let copy = allocate(bytes: max(1, elements.count) * stride).bindMemory(
            to: belfry_value.self, capacity: elements.count)
        for (index, element) in elements.enumerated() { (copy + index).initialize(to: convert(element)) }
        return UnsafePointer(copy)
    }

    private func c(_ value: Value, key: String?) -> belfry_value {
        var result = belfry_value()
        result.key = text(key)
        switch value {
        case .null: result.kind = BELFRY_NULL
        case .bool(let bool):
            result.kind = BELFRY_BOOLEAN
            result.integer = bool ? 1 : 0
        case .integer(let integer):
            result.kind = BELFRY_INTEGER
            result.integer = integer
            result.number = Double(integer)
        case .number(let number):
            result.kind = BELFRY_NUMBER
            result.number = number
        case .text(let text):
            result.kind = BELFRY_TEXT
            result.text = self.text(text)
        case .list(let list):
            result.kind = BELFRY_LIST
            result.items = array(list) { c($0, key: nil) }
            result.count = UInt64(list.count)
        case .map(let fields):
            result.kind = BELFRY_MAP
            result.items = array(fields.entries) { c($0.value, key: $0.key) }
            result.count = UInt64(fields.count)
        }
        return result
    }
}

extension Arena {
    /// A parameter tree with durations as BELFRY_DURATION where `schema` asks for them.
    package func parameters(_ value: Value, _ schema: ParameterSchema) -> UnsafePointer<belfry_value> {
        let result = UnsafeMutablePointer(mutating: self.value(value)!)
        type(result, as: schema)
        return UnsafePointer(result)
    }

    private func type(_ value: UnsafeMutablePointer<belfry_value>, as schema: ParameterSchema) {
        if schema.isList, value.pointee.kind == BELFRY_LIST {
            for item in items(of: value) { type(item, asElementOf: schema) }
        } else {
            type(value, asElementOf: schema)
        }
    }

    private func type(_ value: UnsafeMutablePointer<belfry_value>, asElementOf schema: ParameterSchema) {
        switch schema.type {
        case .duration:
            guard let text = value.pointee.text.string, let duration = Duration(text: text) else { return }
            value.pointee.kind = BELFRY_DURATION
            value.pointee.integer = duration.milliseconds
        case .object(let members):
            for item in items(of: value) {
                guard let key = item.pointee.key.string, let member = members.first(where: { $0.name == key }) else {
                    continue
                }
                type(item, as: member)
            }
        default: break
        }
    }

    private func items(of value: UnsafeMutablePointer<belfry_value>) -> some Sequence<
        UnsafeMutablePointer<belfry_value>
    > {
        let start = UnsafeMutablePointer(mutating: value.pointee.items)
        return (0..<Int(value.pointee.count)).lazy.map { start! + $0 }
    }
}

extension Value {
    /// A copy of what C lent. Durations become text, instants RFC 3339 text; what is nested too deep becomes null.
    public init(_ value: belfry_value) {
        self.init(value, depth: 0)
    }

    private init(_ value: belfry_value, depth: Int) {
        guard depth < Self.depthLimit else {
            self = .null
            return
        }
        // A list without a place has no items, whatever it says.
        let items = UnsafeBufferPointer(start: value.items, count: value.items == nil ? 0 : Int(clamping: value.count))
        switch value.kind {
        case BELFRY_BOOLEAN: self = .bool(value.integer != 0)
        case BELFRY_INTEGER: self = .integer(value.integer)
        case BELFRY_NUMBER: self = .number(value.number)
        case BELFRY_TEXT: self = .text(value.text.string ?? "")
        case BELFRY_DURATION: self = .text(Duration(milliseconds: value.integer).description)
        case BELFRY_INSTANT: self = .text(Instant(milliseconds: value.integer).description)
        case BELFRY_LIST: self = .list(items.map { Value($0, depth: depth + 1) })
        case BELFRY_MAP: self = .map(Fields(items.map { ($0.key.string ?? "", Value($0, depth: depth + 1)) }))
        default: self = .null
        }
    }
}
