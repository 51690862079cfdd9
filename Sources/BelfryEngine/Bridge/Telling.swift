import CBelfry

/// What a telling hook did.
package enum Telling {
    case unchanged, changed
    /// With a sentence.
    case failed(String)

    /// Calls a hook that may say why it failed.
    package init(_ hook: (UnsafePointer<belfry_sink>) -> belfry_told) {
        let (told, sentence) = collectText(hook)
        self =
            switch told {
            case BELFRY_TOLD_UNCHANGED: .unchanged
            case BELFRY_TOLD_CHANGED: .changed
            default: .failed(sentence.isEmpty ? "it failed without a word" : sentence)
            }
    }

    /// Why it failed; nil if it did not.
    package var failure: String? { if case .failed(let sentence) = self { sentence } else { nil } }
}
