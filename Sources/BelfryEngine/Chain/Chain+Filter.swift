import BelfryModel
import CBelfry

extension Chain {
    /// Lets a filter edit the candidate. A drop is a denial; after a failure the candidate is as it was.
    func apply(_ filter: UnsafePointer<belfry_filter>, _ instance: Instance) -> Verdict {
        let edits = EditDrain(candidate.content)
        let (status, error) = collectText { sink in
            edits.withEdits {
                filter.pointee.apply(instance.pointer, scope.cCandidate(counter: nil), scope.cContext, $0, sink)
            }
        }
        guard status == BELFRY_OK else { return .fault(error.isEmpty ? "it failed without a word" : error) }
        if let message = edits.dropped { return .deny(message, code: "dropped") }
        candidate.content = edits.content
        scope.refreshCandidate()
        return .abstain
    }
}

/// Takes the edits of a filter.
final class EditDrain {
    private(set) var content: Decision.Content
    /// Why the candidate was dropped.
    private(set) var dropped: String?

    init(_ content: Decision.Content) { self.content = content }

    func withEdits<Result>(_ body: (UnsafePointer<belfry_edits>) -> Result) -> Result {
        var edits = belfry_edits(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            set_title: { EditDrain.of($0).content.title = string($1, $2) },
            set_message: { EditDrain.of($0).content.message = string($1, $2) },
            set_category: { EditDrain.of($0).content.category = string($1, $2) },
            set_data: { EditDrain.of($0).content.data = $1.map { Value($0.pointee) } },
            set_presentation: { EditDrain.of($0).content.presentation = $1.map { Value($0.pointee) } },
            set_buttons: { EditDrain.of($0).content.buttons = $1.map { Value($0.pointee) } },
            drop: { EditDrain.of($0).dropped = string($1, $2) })
        return withExtendedLifetime(self) { body(&edits) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> EditDrain {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }
}
