import CBelfry

extension String {
    /// Stands for the sentence of a plugin that failed and gave none.
    package static let wordlessFailure = "it failed without a word"

    /// The sentence of a failure, where a plugin may have given none.
    package var orWordlessFailure: String { isEmpty ? .wordlessFailure : self }

    /// Writes the text to a sink of the other side.
    package func write(to sink: UnsafePointer<belfry_sink>) {
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
/// What is told in place of one that is longer.
private let overlongSentence = Array("it gave a sentence of more than \(longestSentence) bytes".utf8)

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
        var sink = belfry_sink(owner: UnsafeMutableRawPointer(owner), write: writeSentence)
        return body(&sink)
    }
}

/// What a sink calls whose owner is a list of bytes.
private func writeSentence(_ owner: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<CChar>?, _ length: UInt64) {
    guard let owner = owner?.assumingMemoryBound(to: [UInt8].self), let bytes, owner.pointee != overlongSentence
    else { return }
    guard length <= longestSentence, owner.pointee.count + Int(length) <= longestSentence else {
        return owner.pointee = overlongSentence
    }
    owner.pointee.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: Int(length)))
}

/// Takes sentences from the other side, one after the other, in memory that is used again.
final class SentenceCollector {
    private let bytes: UnsafeMutablePointer<[UInt8]>
    private let sink: UnsafeMutablePointer<belfry_sink>

    init() {
        bytes = .allocate(capacity: 1)
        bytes.initialize(to: [])
        sink = .allocate(capacity: 1)
        sink.initialize(to: belfry_sink(owner: bytes, write: writeSentence))
    }

    deinit {
        sink.deallocate()
        bytes.deinitialize(count: 1)
        bytes.deallocate()
    }

    /// Where the next one goes.
    @inline(__always)
    func begin() -> UnsafePointer<belfry_sink> {
        if !bytes.pointee.isEmpty { bytes.pointee.removeAll() }
        return UnsafePointer(sink)
    }

    /// Nil if nothing was said.
    var text: String? { bytes.pointee.isEmpty ? nil : String(decoding: bytes.pointee, as: UTF8.self) }
}
