/// Patterns with `*` and `?`, separated by commas; one with `!` in front rules out what it matches (ssh_config(5), PATTERNS).
struct PatternList: Hashable, Sendable, CustomStringConvertible {
    let patterns: [String]

    init(_ text: String) {
        patterns = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    var description: String { patterns.joined(separator: ",") }

    /// Whether one matches, and none that rules it out.
    func matches(_ name: String) -> Bool {
        var isMatched = false
        for pattern in patterns {
            let isNegated = pattern.hasPrefix("!")
            guard Self.matches(Array(name.utf8), Array(pattern.utf8.dropFirst(isNegated ? 1 : 0))) else { continue }
            if isNegated { return false }
            isMatched = true
        }
        return isMatched
    }

    /// By the last star alone: a match that any star can find, the last one finds too. So no text takes long.
    private static func matches(_ name: [UInt8], _ pattern: [UInt8]) -> Bool {
        var (at, next) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while at < name.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                star = (next, at)
                next += 1
            } else if next < pattern.count, pattern[next] == UInt8(ascii: "?") || pattern[next] == name[at] {
                (at, next) = (at + 1, next + 1)
            } else if let last = star {
                star = (last.pattern, last.name + 1)
                (at, next) = (last.name + 1, last.pattern + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
