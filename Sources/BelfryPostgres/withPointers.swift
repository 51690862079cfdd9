/// Lends texts as C has them, with a null behind the last one.
func withCStrings<Result>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    withPointers(to: texts.map { Array($0.utf8) + [0] } + [nil], body)
}

/// Lends where each of several bytes begins; null for nil.
func withPointers<Result>(
    to values: [[UInt8]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    // In one buffer, so that one is lent and not one for each. Behind each is a zero: none is empty, which would be null.
    var joined: [UInt8] = []
    joined.reserveCapacity(values.reduce(0) { $0 + ($1?.count ?? 0) + 1 })
    for value in values {
        // As a whole, since the server waits in a transaction, and not for long.
        joined += value ?? []
        joined.append(0)
    }
    return joined.withUnsafeBytes { bytes in
        var next = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        var pointers: [UnsafePointer<CChar>?] = []
        for value in values {
            pointers.append(value == nil ? nil : next)
            next = next.map { $0 + (value?.count ?? 0) + 1 }
        }
        return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}
