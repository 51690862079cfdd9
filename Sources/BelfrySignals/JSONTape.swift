import BelfryModel
import CSimdJSON
import Glibc

/// Parses JSON with simdjson and walks its tape: words of an 8-bit tag and a 56-bit payload (simdjson, doc/tape.md).
///
/// One thread at a time. An element is valid until the next `parse`.
final class JSONParser {
    private let parser: OpaquePointer

    /// - Parameter depthLimit: how deep lists and mappings may nest.
    init(depthLimit: Int = Value.depthLimit) {
        guard let parser = simdjson_parser_create(UInt64(depthLimit)) else {
            preconditionFailure("no memory for a JSON parser")
        }
        self.parser = parser
    }

    deinit { simdjson_parser_destroy(parser) }

    /// Why a text is no JSON, in simdjson's words.
    struct Failure: Error {
        var message: String
    }

    func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) -> JSONElement {
        let tape = simdjson_parse(parser, bytes.baseAddress, UInt64(bytes.count))
        if let error = tape.error { throw Failure(message: String(cString: error)) }
        // Word 0 is the root; the document begins after it.
        return JSONElement(words: tape.words, strings: tape.strings, index: 1)
    }
}

/// An element of a parsed document.
struct JSONElement {
    fileprivate let words: UnsafePointer<UInt64>
    fileprivate let strings: UnsafePointer<UInt8>
    fileprivate let index: Int

    private var word: UInt64 { words[index] }
    private var tag: UInt8 { UInt8(word >> 56) }
    private var payload: UInt64 { word & 0x00FF_FFFF_FFFF_FFFF }

    var isObject: Bool { tag == UInt8(ascii: "{") }
    var isNull: Bool { tag == UInt8(ascii: "n") }

    var bool: Bool? {
        switch tag {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The bytes of a text, without a copy.
    var utf8: UnsafeBufferPointer<UInt8>? {
        guard tag == UInt8(ascii: "\"") else { return nil }
        let start = strings + Int(payload)
        let length = UnsafeRawPointer(start).loadUnaligned(as: UInt32.self)
        return UnsafeBufferPointer(start: start + 4, count: Int(length))
    }

    var text: String? { utf8.map { String(decoding: $0, as: UTF8.self) } }

    /// The value under a key of an object; of several, the last.
    func member(_ name: StaticString) -> JSONElement? {
        var found: JSONElement?
        forEachMember { key, value in if key.equals(name) { found = value } }
        return found
    }

    /// Calls `body` with each key and value of an object.
    @inline(__always)
    func forEachMember(_ body: (UnsafeBufferPointer<UInt8>, JSONElement) -> Void) {
        var key = child(index + 1)
        while key.tag != UInt8(ascii: "}") {
            let value = child(key.index + 1)
            body(key.utf8!, value)
            key = child(value.next)
        }
    }

    /// A copy of the element and everything in it.
    var value: Value {
        switch tag {
        case UInt8(ascii: "\""): return .text(text!)
        case UInt8(ascii: "l"): return .integer(Int64(bitPattern: words[index + 1]))
        case UInt8(ascii: "u"): return .number(Double(words[index + 1]))
        case UInt8(ascii: "d"): return .number(Double(bitPattern: words[index + 1]))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "["): return .list(items.map(\.value))
        case UInt8(ascii: "{"): return .map(fields)
        default: return .null
        }
    }

    private var fields: Fields {
        // Of a few, each is looked for; of many, an index is made.
        guard count <= 16 else {
            var pairs: [(String, Value)] = []
            forEachMember { key, value in pairs.append((String(decoding: key, as: UTF8.self), value.value)) }
            return Fields(pairs)
        }
        var fields = Fields(capacity: count)
        forEachMember { key, value in fields[String(decoding: key, as: UTF8.self)] = value.value }
        return fields
    }

    /// How many members or items it has, as far as the tape tells: more than it can tell are as many as it can.
    var count: Int { Int(payload >> 32) }

    private var items: [JSONElement] {
        var items: [JSONElement] = []
        var item = child(index + 1)
        while item.tag != UInt8(ascii: "]") {
            items.append(item)
            item = child(item.next)
        }
        return items
    }

    /// The index of the word after this element.
    private var next: Int {
        switch tag {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(payload & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    private func child(_ index: Int) -> JSONElement { JSONElement(words: words, strings: strings, index: index) }
}

extension Value {
    /// Nil if the bytes are no JSON. It may be nested deeper than a signal: values that Belfry stores are wrapped in others.
    package init?(json bytes: ArraySlice<UInt8>) {
        let parser = JSONParser(depthLimit: 2 * Self.depthLimit)
        let value = bytes.withUnsafeBufferPointer { try? parser.parse($0).value }
        guard let value else { return nil }
        self = value
    }
}

extension UnsafeBufferPointer<UInt8> {
    func equals(_ name: StaticString) -> Bool {
        guard count == name.utf8CodeUnitCount, let baseAddress else { return false }
        return memcmp(baseAddress, name.utf8Start, count) == 0
    }
}
