import BelfryModel
import CBelfry

/// The key of a counter, lent for the length of a call; absent for the subject's own.
struct CounterKey {
    let text: belfry_text
    let hash: UInt64
    /// What it is made of as text of Swift, if that is known: a short one is compared by that.
    fileprivate let words: TextWords

    static var subject: CounterKey { CounterKey(text: .absent, hash: 0, words: .none) }
}

extension CounterKey {
    /// - Parameter text: lent for as long as the key is used.
    init(_ text: belfry_text) { self.init(text: text, hash: stableHash(text.utf8), words: .none) }

    /// - Parameter string: the same text.
    init(_ text: belfry_text, of string: String) {
        self.init(text: text, hash: stableHash(string), words: TextWords(string))
    }

    @inline(never)
    fileprivate func hasBytes(of counter: String) -> Bool {
        text.bytes != nil && counter.hasBytes(of: text.utf8)
    }
}

extension UnsafePointer<CounterKey> {
    /// Whether that is the name of the counter; nil is that of the subject's own.
    @inline(__always)
    func isSame(as counter: String?) -> Bool {
        guard let counter else { return pointee.text.bytes == nil }
        return counter.isSame(as: pointee.words) ?? pointee.hasBytes(of: counter)
    }
}
