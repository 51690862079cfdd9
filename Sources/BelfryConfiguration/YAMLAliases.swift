/// Aliases of aliases: with them, a small text stands for more than a parser gets to the end of.
package enum YAMLAliases {
    /// Whether keys of a text may hang the parser: it compares keys by everything in them, and walks through aliases of aliases
    /// as often as they stand for something. With so few aliases nothing can grow beyond some thousand nodes.
    static func mayHangParser(in text: String) -> Bool {
        areMany(in: text) && text.contains(key)
    }

    /// Whether there are so many that they may stand for more than a small text could have.
    package static func areMany(in text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "*")) && text.matches(of: alias).count > 24
    }

    private static var alias: Regex<Substring> { /(?:^|[\s\[\]{},:?\-])\*[\w\-]+/ }
    /// An explicit key, an alias as a key, or a list or a mapping as a key.
    private static var key: Regex<Substring> { /(?:^|[\s\[{,\-])\?[\s*&\[{]|\*[\w\-]+\s*:|[\]}]\s*:/ }
}
