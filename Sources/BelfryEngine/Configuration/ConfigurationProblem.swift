import BelfryModel

/// One thing that is wrong with a configuration, and where. The host adds file and line.
public struct ConfigurationProblem: Error, Sendable, Hashable {
    /// The keys and positions that lead to it from the top of the document: `["campaigns", "0", "with", "cooldown"]`.
    public var path: [String]
    /// What was found, in words: `'coldown'`, `a list`.
    public var found: String
    /// What was expected, in words.
    public var expected: String
    /// What to do about it, when there is more to say than "write what is expected".
    public var fix: String?

    public init(path: [String], found: String, expected: String, fix: String? = nil) {
        self.path = path
        self.found = found
        self.expected = expected
        self.fix = fix
    }

    /// The same problem seen from above: `parent` leads to where its path begins.
    public func below(_ parent: [String]) -> ConfigurationProblem {
        ConfigurationProblem(path: parent + path, found: found, expected: expected, fix: fix)
    }

    /// For where there is no file and no line: `tier.$foo: found …, expected …`.
    public var sentence: String {
        (path.isEmpty ? "" : path.joined(separator: ".") + ": ") + "found \(found), expected \(expected)"
            + (fix.map { "; \($0)" } ?? "")
    }

    /// Something that names a thing that is not there, with the nearest one that is.
    public static func unknown(
        _ what: String, _ name: String, among known: some Sequence<String>, at path: [String]
    ) -> ConfigurationProblem {
        let known = Array(known)
        return ConfigurationProblem(
            path: path, found: "the unknown \(what) '\(name)'",
            expected: known.isEmpty ? "a \(what), but there is none" : "one of \(known.joined(separator: ", "))",
            fix: nearestMatch(to: name, among: known).map { "did you mean '\($0)'?" })
    }
}
