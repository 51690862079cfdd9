extension Condition {
    /// A regular expression, compiled when the configuration is read.
    ///
    /// Set up to mean what it does in ECMAScript: it works on Unicode scalars rather than on characters made of
    /// several, `\d` and `\w` know ASCII only, and `\b` stands between `\w` and anything else. Three things of
    /// ECMAScript do not compile: lookbehind, `[^]` and `\cA`; and in brackets `&&`, `--` and `~~` combine sets.
    // Unchecked because `Regex` is not marked Sendable, as it may hold closures of a builder. One that was made from
    // text holds none: it is a constant program, which `init` has already had compiled.
    // An object, so that what holds one need not ask the library that `Regex` is of how large it is.
    final class Pattern: @unchecked Sendable {
        private let regex: Regex<AnyRegexOutput>
        /// Of a text that is tried, in bytes of UTF-8. A harmless pattern, such as `a.*b`, may take time by the square of a text's length, and
        /// subjects choose texts: of this length it takes some 30 ms.
        private static let longestText = 1024

        struct Failure: Error {
            let reason: String
        }

        init(_ text: String, ignoringCase: Bool) throws(Failure) {
            do {
                regex = try Regex(text)
                    .matchingSemantics(.unicodeScalar)
                    .wordBoundaryKind(.simple)
                    .asciiOnlyDigits()
                    .asciiOnlyWordCharacters()
                    .ignoresCase(ignoringCase)
                // The program is made at the first use, and what is wrong then would pass for "does not match".
                _ = try regex.firstMatch(in: "")
            } catch {
                throw Failure(reason: String(describing: error))
            }
        }

        /// Whether it matches anywhere in `text`; nothing does in one that is too long.
        func matches(_ text: String) -> Bool {
            // What may throw while matching are closures of a builder, and there are none.
            text.utf8.count <= Self.longestText && (try? regex.firstMatch(in: text)) != nil
        }
    }
}
