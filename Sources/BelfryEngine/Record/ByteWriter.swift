import BelfryModel

/// Writes what a section of a record is made of: numbers as variable-length integers, texts and lists after their length.
///
/// Into memory that is used again: an engine keeps one of these.
struct ByteWriter: ~Copyable {
    private var buffer = GrowingBuffer(capacity: 256)

    var count: Int { buffer.count }

    /// A copy of all that was written.
    var bytes: [UInt8] { buffer.bytes }

    /// What was written, until something is added.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(buffer.raw()) }

    mutating func removeAll() { buffer.removeAll() }

    @inline(__always)
    mutating func byte(_ byte: UInt8) { buffer.append(byte) }

    mutating func raw(_ more: UnsafeRawBufferPointer) { buffer.append(more) }

    // MARK: Numbers

    @inline(__always)
    mutating func fixed(_ number: some FixedWidthInteger) {
        buffer.append(fixed: number)
    }

    /// Puts a number where one was written before.
    @inline(__always)
    mutating func replace(_ place: Int, withFixed number: UInt64) { buffer.replace(place, withFixed: number) }

    @inline(__always)
    mutating func unsigned(_ value: UInt64) { buffer.append(unsigned: value) }

    mutating func signed(_ value: Int64) { buffer.append(signed: value) }

    mutating func number(_ value: Double) { fixed(value.bitPattern) }
    mutating func bool(_ value: Bool) { byte(value ? 1 : 0) }
    mutating func instant(_ value: Instant) { signed(value.milliseconds) }

    // MARK: Texts and lists

    mutating func text(_ text: String) { text.withBytes { self.text($0) } }

    /// - Parameter utf8: is UTF-8.
    mutating func text(_ utf8: UnsafeRawBufferPointer) {
        unsigned(UInt64(utf8.count))
        raw(utf8)
    }

    mutating func text(_ text: String?) {
        bool(text != nil)
        if let text { self.text(text) }
    }

    mutating func list<Element>(_ elements: some Collection<Element>, _ write: (inout ByteWriter, Element) -> Void) {
        unsigned(UInt64(elements.count))
        for element in elements { write(&self, element) }
    }

    mutating func value(_ value: Value) {
        switch value {
        case .null: byte(0)
        case .bool(let bool): byte(bool ? 2 : 1)
        case .integer(let integer):
            byte(3)
            signed(integer)
        case .number(let double):
            byte(4)
            number(double)
        case .text(let string):
            byte(5)
            text(string)
        case .list(let items):
            byte(6)
            list(items) { $0.value($1) }
        case .map(let map):
            byte(7)
            fields(map)
        }
    }

    mutating func fields(_ fields: Fields) {
        list(fields.entries) {
            $0.text($1.key)
            $0.value($1.value)
        }
    }

    mutating func value(_ value: Value?) {
        bool(value != nil)
        if let value { self.value(value) }
    }
}
