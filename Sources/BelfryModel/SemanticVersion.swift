/// A version that can be told older or newer than another: Semantic Versioning 2.0.0, section 11.
public struct SemanticVersion: Hashable, Sendable {
    private let core: [Number]
    private let prerelease: [Identifier]

    /// A decimal number of any length, without leading zeros.
    private struct Number: Hashable, Comparable {
        let digits: String

        init?(_ text: some StringProtocol) {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            guard text.utf8.count == 1 || text.utf8.first != 0x30 else { return nil }
            digits = String(text)
        }

        static func < (left: Self, right: Self) -> Bool {
            let (a, b) = (left.digits.utf8.count, right.digits.utf8.count)
            return a == b ? left.digits < right.digits : a < b
        }
    }

    private enum Identifier: Hashable, Comparable {
        // In this order: numbers come before words.
        case number(Number)
        case word(String)

        init?(_ text: some StringProtocol) {
            if let number = Number(text) {
                self = .number(number)
            } else if text.isIdentifier, !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                self = .word(String(text))
            } else {
                return nil
            }
        }
    }

    /// Nil if that is no semantic version.
    public init?(_ text: String) {
        // What is behind a plus does not count.
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, !Self.identifiers(parts[1]).allSatisfy(\.isIdentifier) { return nil }
        let halves = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        core = Self.identifiers(halves[0]).compactMap { Number($0) }
        guard core.count == 3, Self.identifiers(halves[0]).count == 3 else { return nil }
        let words = halves.count == 2 ? Self.identifiers(halves[1]) : []
        prerelease = words.compactMap { Identifier($0) }
        guard prerelease.count == words.count else { return nil }
    }

    private static func identifiers(_ text: Substring) -> [Substring] {
        text.split(separator: ".", omittingEmptySubsequences: false)
    }
}

extension SemanticVersion: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        if left.core != right.core { return left.core.lexicographicallyPrecedes(right.core) }
        // What comes before a release is older than it.
        if left.prerelease.isEmpty || right.prerelease.isEmpty {
            return !left.prerelease.isEmpty && right.prerelease.isEmpty
        }
        return left.prerelease.lexicographicallyPrecedes(right.prerelease)
    }
}

extension StringProtocol {
    fileprivate var isIdentifier: Bool {
        !isEmpty
            && utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
            }
    }
}
