import BelfryModel
import Glibc

/// A text of a condition, whose bytes are compared with those of others.
///
/// It has a copy of its own, since to read the bytes of a `String` counts references.
final class UTF8Text: Sendable {
    let text: String
    let count: Int
    private let start: Constant<UnsafeMutableRawPointer>

    init(_ text: String) {
        (self.text, count) = (text, text.utf8.count)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 1)
        bytes.copyBytes(from: text.utf8)
        start = Constant(bytes.baseAddress!)
    }

    deinit { start.pointer.deallocate() }

    @inline(__always)
    func isSame(as other: String) -> Bool {
        other.utf8.count == count && other.withBytes { hasBytes(at: $0.baseAddress) }
    }

    @inline(__always)
    func isSame(as other: RawSpan) -> Bool {
        other.byteCount == count && other.withUnsafeBytes { hasBytes(at: $0.baseAddress) }
    }

    /// Whether there are the same bytes, of which there are as many.
    @inline(__always)
    private func hasBytes(at other: UnsafeRawPointer?) -> Bool {
        guard let other else { return count == 0 }
        return memcmp(other, start.pointer, count) == 0
    }
}
