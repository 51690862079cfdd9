import BelfryModel
import CBelfry

/// The key of a counter, lent for the length of a call; absent for the subject's own.
struct CounterKey {
    let text: belfry_text
    let hash: UInt64

    static var subject: CounterKey { CounterKey(text: .absent, hash: 0) }

    private init(text: belfry_text, hash: UInt64) { (self.text, self.hash) = (text, hash) }

    /// - Parameter text: lent for as long as the key is used.
    init(_ text: belfry_text) { self.init(text: text, hash: stableHash(text.utf8)) }
}
