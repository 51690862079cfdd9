/// The text of an `allowed_signers` file, changed line by line: what is not asked about stays as it is.
public struct AllowedSignersText {
    public let content: String

    public init(_ content: String) { self.content = content }

    /// As in OpenSSH, a line ends with a line feed; a carriage return before it is white space. Split by scalars: the two are one `Character`.
    static func lines(of text: String) -> [String] {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// What cannot be changed.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let what: String
        public let why: String
        public let fix: String

        public var description: String { "\(what)\n  why: \(why)\n  fix: \(fix)" }
    }

    /// With a line for a key, which `keyText` has as a `.pub` file has it.
    ///
    /// - Returns: the text, and the name of the signer. Where such a line is there already, nothing is added.
    public func adding(
        _ keyText: String, for pattern: String, from path: String
    ) throws(Failure) -> (text: String, name: String) {
        let refused = "cannot add the key '\(path)'"
        guard Self.isPlain(pattern) else {
            throw Failure(
                what: refused,
                why: "'\(pattern)' is no pattern of plugin ids: it is empty, or has blanks, quotes or a '#' in front",
                fix: "write for example --for 'acme-*'")
        }
        let lines = keyText.split(whereSeparator: \.isNewline).filter { !$0.isEmpty }
        guard lines.count == 1, let line = AllowedSigners("\(pattern) \(lines[0])").lines.first, let key = line.key,
            lines[0].hasPrefix(SSHPublicKey.algorithm)
        else {
            throw Failure(
                what: refused, why: "it is no public key of ssh-ed25519 on one line; others are not taken",
                fix: "name the .pub file that 'ssh-keygen -t ed25519' has made")
        }
        let isThere = AllowedSigners(content).lines.contains {
            $0.key == key && $0.principals.patterns.contains(pattern)
        }
        if isThere { return (content, line.name) }
        let comment = line.comment.isEmpty ? "" : " " + line.comment
        let new = "\(pattern) namespaces=\"\(SSHSignature.namespace)\" \(key.text)\(comment)\n"
        return (content + (content.isEmpty || content.unicodeScalars.last == "\n" ? "" : "\n") + new, line.name)
    }

    private static func isPlain(_ pattern: String) -> Bool {
        !pattern.isEmpty && !pattern.hasPrefix("#") && !pattern.contains { $0.isWhitespace || $0 == "\"" }
            && pattern.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }

    /// Without a principal; a line that has no other goes.
    ///
    /// - Returns: the text, and how many lines had it.
    public func removing(_ principal: String) throws(Failure) -> (text: String, count: Int) {
        let known = AllowedSigners(content).lines
        let wanted = PatternList(principal).patterns
        var count = 0
        let lines = Self.lines(of: content).enumerated().compactMap { index, text -> String? in
            guard let line = known.first(where: { $0.number == index + 1 }) else { return text }
            let left = line.principals.patterns.filter { !wanted.contains($0) }
            guard left.count < line.principals.patterns.count else { return text }
            count += 1
            // A line that only rules out lets no signer sign.
            return left.allSatisfy { $0.hasPrefix("!") } ? nil : Self.replacing(text, line.principals, by: left)
        }
        guard count > 0 else {
            let names = known.map { "'\($0.principalText)'" }.joined(separator: ", ")
            throw Failure(
                what: "cannot remove '\(principal)'",
                why: "no line has that principal; there \(names.isEmpty ? "are none" : "is " + names)",
                fix: "name one as 'belfry trust list' shows it")
        }
        return (lines.joined(separator: "\n"), count)
    }

    private static func replacing(_ line: String, _ old: PatternList, by new: [String]) -> String {
        guard let range = line.firstRange(of: old.description) else { return line }
        return line.replacingCharacters(in: range, with: new.joined(separator: ","))
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
