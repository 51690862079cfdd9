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

    /// Edits or drops the candidate. Pure, like the checks of a strategy. When it throws, none of its edits are kept.
    func apply(_ candidate: Candidate, edits: Edits, context: Context) throws(StrategyError)
}

/// What a filter may do to a candidate; identity and times are out of reach. Only good during `apply`.
///
/// Nil removes what it would set. A category that the configuration does not have, or buttons that it would not accept, make
/// the host take `apply` for failed.
public struct Edits {
    let raw: belfry_edits

    public func setTitle(_ title: String?) { set(title, raw.set_title) }

    public func setMessage(_ message: String?) { set(message, raw.set_message) }

    /// Its buttons come with it, unless `setButtons` sets others.
    public func setCategory(_ category: String?) { set(category, raw.set_category) }

    public func setData(_ data: Value?) { set(data, raw.set_data) }

    public func setPresentation(_ presentation: Value?) { set(presentation, raw.set_presentation) }

    /// A list of mappings as in `categories`, instead of the buttons of the category.
    public func setButtons(_ buttons: Value?) { set(buttons, raw.set_buttons) }

    /// Drops the candidate, with one sentence; edits are of no consequence then.
    public func drop(_ message: String) { set(message, raw.drop) }

    private func set(_ text: String?, _ function: (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UInt64) -> Void) {
        guard let text else { return function(raw.owner, nil, 0) }
        text.withText { function(raw.owner, $0.bytes, $0.length) }
    }

    private func set(_ value: Value?, _ function: (UnsafeMutableRawPointer?, UnsafePointer<belfry_value>?) -> Void) {
        guard let value else { return function(raw.owner, nil) }
        value.withRaw { function(raw.owner, $0) }
    }
}
