import CBelfry

extension String {
    /// Writes the text to a sink of the other side.
    func write(to sink: UnsafePointer<belfry_sink>) {
        var text = self
        text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
                sink.pointee.write?(sink.pointee.owner, $0.baseAddress, UInt64($0.count))
            }
        }
    }
}

/// So many bytes of a sentence are taken from the other side; what is longer is no sentence.
private let longestSentence: UInt64 = 64 << 10

/// Runs `body` with a sink and returns what was written to it as well.
public func collectText<Result>(_ body: (UnsafePointer<belfry_sink>) -> Result) -> (result: Result, text: String) {
    var bytes: [UInt8] = []
    let result = collect(into: &bytes, body)
    return (result, String(decoding: bytes, as: UTF8.self))
}

/// Runs `body` with a sink that adds to these bytes.
@inline(__always)
func collect<Result>(into bytes: inout [UInt8], _ body: (UnsafePointer<belfry_sink>) -> Result) -> Result {
    withUnsafeMutablePointer(to: &bytes) { owner in
        var sink = belfry_sink(
            owner: UnsafeMutableRawPointer(owner),
            write: { owner, bytes, length in
                guard let owner = owner?.assumingMemoryBound(to: [UInt8].self), let bytes,
                    length <= longestSentence, owner.pointee.count + Int(length) <= longestSentence
                else { return }
                owner.pointee.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(length)))
            })
        return body(&sink)
    }
}
