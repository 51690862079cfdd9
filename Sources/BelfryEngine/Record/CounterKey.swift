import CBelfry

/// The key of a counter, lent for the length of a call; absent for the subject's own.
struct CounterKey {
    let text: belfry_text
    let hash: UInt64

    static var subject: CounterKey { CounterKey(text: .absent, hash: 0) }
}

extension CounterKey {
    init(_ text: CText) { self.init(text: text.c, hash: text.hash) }

    /// - Parameter text: lent for as long as the key is used.
    init(_ text: belfry_text) { self.init(text: text, hash: stableHash(text.utf8)) }

    func isSame(as counter: String?) -> Bool {
        guard let counter else { return text.bytes == nil }
        return text.bytes != nil && counter.hasBytes(of: text.utf8)
    }
}
