import CBelfry

/// What a telling hook did.
package enum Telling {
    case unchanged, changed
    /// With a sentence.
    case failed(String)

    /// Calls a hook that may say why it failed.
    @inline(__always)
    package init(_ hook: (UnsafePointer<belfry_sink>) -> belfry_told) {
        var sentence: [UInt8] = []
        switch collect(into: &sentence, hook) {
        case BELFRY_TOLD_UNCHANGED: self = .unchanged
        case BELFRY_TOLD_CHANGED: self = .changed
        default: self = .failed(String(decoding: sentence, as: UTF8.self).orWordlessFailure)
        }
    }

    /// Why it failed; nil if it did not.
    package var failure: String? { if case .failed(let sentence) = self { sentence } else { nil } }
}
