extension UnsafeRawBufferPointer {
    init(belfry text: belfry_text) {
        self.init(start: text.bytes, count: text.bytes == nil ? 0 : Int(text.length))
    }
}

extension String {
    /// Nil for an absent text.
    init?(belfry text: belfry_text) {
        if text.bytes == nil { return nil }
        self.init(decoding: UnsafeRawBufferPointer(belfry: text), as: UTF8.self)
    }

    /// Lends the bytes of this text; a native string is not copied.
    @inlinable @inline(__always)
    func withText<Result>(_ body: (belfry_text) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(belfry_text(lent: $0)) }) { return result }
        return withCopiedText(body)
    }

    @usableFromInline @inline(never)
    func withCopiedText<Result>(_ body: (belfry_text) -> Result) -> Result {
        var text = self
        return text.withUTF8 { body(belfry_text(lent: $0)) }
    }
}

extension belfry_text {
    @inlinable @inline(__always)
    init(lent bytes: UnsafeBufferPointer<UInt8>) {
        self.init(
            bytes: UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), length: UInt64(bytes.count)
        )
    }
}

/// Calls a function that reports a failure through a sink, and gives what it said too; nil if it said nothing.
func withSink<Result>(_ body: (UnsafePointer<belfry_sink>) -> Result) -> (Result, message: String?) {
    var bytes: [UInt8] = []
    let result = withUnsafeMutablePointer(to: &bytes) { owner in
        var sink = belfry_sink(
            owner: owner,
            write: { owner, piece, length in
                guard let bytes = owner?.assumingMemoryBound(to: [UInt8].self) else { return }
                bytes.pointee.append(contentsOf: UnsafeRawBufferPointer(start: piece, count: Int(length)))
            })
        return body(&sink)
    }
    return (result, bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
}

extension UnsafePointer<belfry_sink>? {
    func write(_ message: String) {
        guard let sink = self?.pointee else { return }
        message.withText { sink.write(sink.owner, $0.bytes, $0.length) }
    }
}
