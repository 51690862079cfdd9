import BelfryModel
import CBelfry

/// Where declared fields lie in the memory of a plugin, and how they come from there to where they are stored and back (`StateShape`).
///
/// Plain bytes, so that walking the fields counts no references.
struct StatePlaces: Sendable {
    /// How many bytes a state has in the plugin's memory.
    private let size: Int
    /// How many bytes say which fields are stored; 0 if all are.
    private let mapSize: Int
    /// Whether what is stored is a copy of the plugin's memory.
    let isPlain: Bool
    private let fields: Constant<UnsafeMutableBufferPointer<Field>>
    /// The plugin's memory where no field has a value.
    private let blank: Constant<UnsafeMutableRawPointer>

    fileprivate struct Field {
        let form: Form
        /// In the plugin's memory.
        let offset: Int
        let isOptional: Bool
        let isText: Bool
        /// The word of one that has no value.
        let absent: UInt64
    }

    /// So many bytes has a text, or elements a list, at most.
    fileprivate static let most: UInt64 = 1 << 20

    fileprivate enum Form: UInt8 {
        case word
        /// With a byte behind it that says whether there is a value.
        case flagged
        case boolean, series
    }

    /// - Parameters:
    ///   - offsets: of the fields in the plugin's memory.
    ///   - new: that memory as a new state has it.
    init(_ shapes: [StateShape.Field], at offsets: [Int], size: Int, new: UnsafeRawPointer) {
        self.size = size
        mapSize = shapes.mapSize
        isPlain = mapSize == 0 && size == shapes.count * 8 && offsets == shapes.indices.map { $0 * 8 }
        let places = UnsafeMutableBufferPointer<Field>.allocate(capacity: shapes.count)
        _ = places.initialize(from: zip(shapes, offsets).map { Field($0, at: $1) })
        fields = Constant(places)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, size), alignment: 16)
        memory.copyMemory(from: new, byteCount: size)
        for field in places { memory.clear(field) }
        blank = Constant(memory)
    }

    func deallocate() {
        fields.pointer.deallocate()
        blank.pointer.deallocate()
    }

    var isEmpty: Bool { fields.pointer.isEmpty }

    /// How many bytes a state in the plugin's memory has at most as it is stored.
    ///
    /// - Returns: nil if a text is no UTF-8, or a text or list has no address.
    func length(_ memory: UnsafeRawPointer) -> Int? {
        var length = mapSize + fields.pointer.count * 8
        for field in UnsafeRange(UnsafeBufferPointer(fields.pointer)) where field.pointee.form == .series {
            if memory.count(of: field) == 0 { continue }
            guard let bytes = memory.series(field) else { return nil }
            length += paddedToWord(bytes.count)
        }
        return length
    }

    /// The first text or list that has kept `length` from an answer.
    ///
    /// - Returns: its place among the fields, and what is wrong with it, as a part of a sentence.
    func misfit(_ memory: UnsafeRawPointer) -> (field: Int, what: String)? {
        for (index, field) in fields.pointer.enumerated() where field.form == .series {
            if let what = withUnsafePointer(to: field, { memory.misfit($0) }) { return (index, what) }
        }
        return nil
    }

    /// Writes a state in the plugin's memory as it is stored.
    ///
    /// - Parameter stored: has room for `length` bytes.
    /// - Returns: how many were written.
    func store(_ memory: UnsafeRawPointer, to stored: UnsafeMutableRawPointer) -> Int {
        var end = stored + mapSize
        var (map, bit, place) = (0 as UInt64, 1 as UInt64, stored)
        for field in UnsafeRange(UnsafeBufferPointer(fields.pointer)) {
            if end.append(field, of: memory, areAllStored: mapSize == 0) { map |= bit }
            bit <<= 1
            if bit == 0, mapSize > 0 {
                place.put(map)
                (map, bit, place) = (0, 1, place + 8)
            }
        }
        if bit > 1, mapSize > 0 { place.put(map) }
        return end - stored
    }

    /// Fills the plugin's memory with what is stored. Its texts and lists stay where they are.
    func load(_ stored: UnsafeRawPointer, into memory: UnsafeMutableRawPointer) {
        memory.copyMemory(from: blank.pointer, byteCount: size)
        // Where they lie is not changed through this.
        let first = UnsafePointer(fields.pointer.baseAddress!)
        var place = stored + mapSize
        if mapSize == 0 {
            for field in first..<first + fields.pointer.count { memory.load(field, from: &place) }
        }
        for offset in stride(from: 0, to: mapSize, by: 8) {
            var map = stored.word(at: offset)
            while map != 0 {
                memory.load(first + (offset * 8 + map.trailingZeroBitCount), from: &place)
                map &= map - 1
            }
        }
    }
}

extension StatePlaces.Field {
    fileprivate init(_ field: StateShape.Field, at offset: Int) {
        self.offset = offset
        (isOptional, isText, absent) = (field.isOptional, field.type == .text, field.absent)
        form =
            field.type.isSeries ? .series : field.type == .boolean ? .boolean : field.isOptional ? .flagged : .word
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// How many elements a text or list in a plugin's memory has.
    @inline(__always)
    fileprivate func count(of field: UnsafePointer<StatePlaces.Field>) -> UInt64 {
        loadUnaligned(fromByteOffset: field.pointee.offset + 8, as: UInt64.self)
    }

    /// A text or list in a plugin's memory; nil if it has no address, more than 2^20 elements, or is a text that is no UTF-8.
    @inline(__always)
    fileprivate func series(_ field: UnsafePointer<StatePlaces.Field>) -> UnsafeRawBufferPointer? {
        let start = loadUnaligned(fromByteOffset: field.pointee.offset, as: UnsafeRawPointer?.self)
        let count = count(of: field)
        guard count <= StatePlaces.most, let start else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count) * (field.pointee.isText ? 1 : 8))
        if field.pointee.isText, String(validating: bytes, as: UTF8.self) == nil { return nil }
        return bytes
    }

    /// Why `series` is nil of a field that has elements; nil if it is not.
    fileprivate func misfit(_ field: UnsafePointer<StatePlaces.Field>) -> String? {
        guard count(of: field) > 0, series(field) == nil else { return nil }
        let isText = field.pointee.isText
        if count(of: field) > StatePlaces.most {
            return isText ? "a text of more than 2^20 bytes" : "a list of more than 2^20 elements"
        }
        let hasAddress = loadUnaligned(fromByteOffset: field.pointee.offset, as: UnsafeRawPointer?.self) != nil
        return hasAddress ? "a text that is no UTF-8" : "a \(isText ? "text" : "list") without an address"
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    fileprivate func put(_ word: UInt64) { storeBytes(of: word.littleEndian, as: UInt64.self) }

    /// Takes the value of a field of a plugin's memory away.
    fileprivate func clear(_ field: StatePlaces.Field) {
        let own = self + field.offset
        switch field.form {
        case .word: own.storeBytes(of: field.absent, as: UInt64.self)
        case .flagged:
            own.storeBytes(of: 0, as: UInt64.self)
            (own + 8).storeBytes(of: 1, as: UInt8.self)
        case .boolean: own.storeBytes(of: UInt8(truncatingIfNeeded: field.absent), as: UInt8.self)
        case .series:
            // An empty one has an address too: plugins may hand it on to what wants one.
            own.storeBytes(of: self, as: UnsafeRawPointer.self)
            (own + 8).storeBytes(of: 0, as: UInt64.self)
        }
    }

    /// Appends a field of a plugin's memory to what is stored.
    ///
    /// - Returns: whether it has a value; one that has none is only stored where all are.
    @inline(__always)
    fileprivate mutating func append(
        _ field: UnsafePointer<StatePlaces.Field>, of memory: UnsafeRawPointer, areAllStored: Bool
    ) -> Bool {
        let place = memory + field.pointee.offset
        var word: UInt64
        switch field.pointee.form {
        case .series:
            // `length` has checked that it makes sense.
            if memory.count(of: field) == 0 { return false }
            return appendSeries(field, of: memory)
        case .flagged:
            if place.load(fromByteOffset: 8, as: UInt8.self) != 0 { return false }
            word = place.loadUnaligned(as: UInt64.self)
        case .boolean:
            word = UInt64(place.load(as: UInt8.self))
            if word == field.pointee.absent || (field.pointee.isOptional && word > 1) { return false }
            word = min(word, 1)
        case .word:
            word = place.loadUnaligned(as: UInt64.self)
            if word == field.pointee.absent, !areAllStored { return false }
        }
        put(word)
        self += 8
        return true
    }

    private mutating func appendSeries(
        _ field: UnsafePointer<StatePlaces.Field>, of memory: UnsafeRawPointer
    ) -> Bool {
        guard let bytes = memory.series(field) else { return false }
        put(memory.count(of: field))
        let padded = paddedToWord(bytes.count)
        // Filled up with zeros.
        (self + padded).put(0)
        UnsafeMutableRawBufferPointer(start: self + 8, count: bytes.count).copyMemory(from: bytes)
        self += 8 + padded
        return true
    }

    /// Fills a field of a plugin's memory with the next value that is stored.
    @inline(__always)
    fileprivate func load(_ field: UnsafePointer<StatePlaces.Field>, from place: inout UnsafeRawPointer) {
        let own = self + field.pointee.offset
        let word = place.word(at: 0)
        place += 8
        switch field.pointee.form {
        case .word: own.storeBytes(of: word, as: UInt64.self)
        case .flagged:
            own.storeBytes(of: word, as: UInt64.self)
            (own + 8).storeBytes(of: 0, as: UInt8.self)
        case .boolean: own.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
        case .series:
            own.storeBytes(of: place, as: UnsafeRawPointer.self)
            (own + 8).storeBytes(of: word, as: UInt64.self)
            place += paddedToWord(Int(word) * (field.pointee.isText ? 1 : 8))
        }
    }
}
