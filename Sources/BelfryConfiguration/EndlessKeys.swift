/// Keys that a parser would not get to the end of.
package enum EndlessKeys {
    /// Whether text in YAML may have some: the parser compares keys by everything in them, and walks through aliases of aliases
    /// as often as they stand for something. With so few aliases nothing can grow beyond some thousand nodes.
    static func mayBeIn(_ text: String) -> Bool {
        hasManyAliases(text) && text.contains(key)
    }

    /// Whether aliases of aliases may stand for more than a small file could have.
    package static func hasManyAliases(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "*")) && text.matches(of: alias).count > 24
    }

    private static var alias: Regex<Substring> { /(?:^|[\s\[\]{},:?\-])\*[\w\-]+/ }
    /// An explicit key, an alias as a key, or a list or a mapping as a key.
    private static var key: Regex<Substring> { /(?:^|[\s\[{,\-])\?[\s*&\[{]|\*[\w\-]+\s*:|[\]}]\s*:/ }
}
