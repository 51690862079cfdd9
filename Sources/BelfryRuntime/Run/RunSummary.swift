import BelfryCore
import BelfryModel

/// What a run did.
@dynamicMemberLookup
public struct RunSummary: Sendable {
    public internal(set) var counts = SignalCounts()
    /// Decisions of an earlier run that was ended before it could hand them out, or say that it had.
    public internal(set) var handedOutAgain = 0
    /// Nil where nothing is forwarded.
    public var forwarding: ForwardStatus?
    /// Nil without a shadow.
    public var shadow: ShadowStatus?
    /// What ended the run before its input did.
    public internal(set) var stoppedBy: String?

    public subscript<Count>(dynamicMember path: KeyPath<SignalCounts, Count>) -> Count { counts[keyPath: path] }

    /// For people, on one screen.
    public var description: String {
        var lines = counts.text
        if handedOutAgain > 0 { lines.append("handed out for a run that was interrupted: \(handedOutAgain)") }
        if let forwarding { lines.append(forwarding.description) }
        if let shadow { lines.append(shadow.description) }
        if let stoppedBy { lines.append("stopped by \(stoppedBy); run again to go on") }
        return lines.joined(separator: "\n")
    }

    /// For machines.
    public var value: Value {
        var fields = counts.fields
        if handedOutAgain > 0 { fields["handedOutAgain"] = .integer(Int64(handedOutAgain)) }
        fields["forwarding"] = forwarding?.value
        fields["shadow"] = shadow?.value
        fields["stoppedBy"] = stoppedBy.map { .text($0) }
        return .map(fields)
    }
}
