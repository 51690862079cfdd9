/// What the chain is asked about a candidate (docs/chain.md).
public enum Question: String, Sendable {
    case creation, deletion

    /// The functions of the contract that ask and tell.
    var hooks: (asking: Hook, telling: Hook) {
        self == .creation ? (.shouldCreate, .didCreate) : (.shouldDelete, .didDelete)
    }
}
