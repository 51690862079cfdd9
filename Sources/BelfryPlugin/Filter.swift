/// Edits a candidate, or drops it. It stands in the chain like a strategy and keeps no state.
///
/// Like a strategy it is immutable, and called for different subjects at once.
public protocol Filter: Sendable {
    associatedtype Parameters: ParameterValue = NoParameters

    /// What `strategy:` names in the configuration; unique among strategies and filters of the host.
    static var name: String { get }
    /// One sentence on what it does.
    static var summary: String { get }

    /// Takes parameters that fit their description; throws when they do not make sense together.
    init(_ parameters: Parameters, host: Host) throws(StrategyError)

    /// Edits or drops the candidate. When it throws, none of its edits are kept.
    func apply(_ candidate: Candidate, edits: Edits, context: Context) throws(StrategyError)
}

/// What a filter may do to a candidate; identity and times are out of reach. Only good during `apply`.
public struct Edits {
    let raw: belfry_edits

    public func setTitle(_ title: String) {
        title.withText { raw.set_title(raw.owner, $0.bytes, $0.length) }
    }

    public func setMessage(_ message: String) {
        message.withText { raw.set_message(raw.owner, $0.bytes, $0.length) }
    }

    public func setCategory(_ category: String) {
        category.withText { raw.set_category(raw.owner, $0.bytes, $0.length) }
    }

    /// Nil removes it.
    public func setData(_ data: Value?) {
        set(data, raw.set_data)
    }

    /// Nil removes it.
    public func setPresentation(_ presentation: Value?) {
        set(presentation, raw.set_presentation)
    }

    /// A list of mappings as in `categories`; nil removes the buttons.
    public func setButtons(_ buttons: Value?) {
        set(buttons, raw.set_buttons)
    }

    /// Drops the candidate, with one sentence; no filter is asked after that.
    public func drop(_ message: String) {
        message.withText { raw.drop(raw.owner, $0.bytes, $0.length) }
    }

    private func set(_ value: Value?, _ function: (UnsafeMutableRawPointer?, UnsafePointer<belfry_value>?) -> Void) {
        guard let value else { return function(raw.owner, nil) }
        value.withRaw { function(raw.owner, $0) }
    }
}
