import BelfryModel

/// Reads one line: principals, options, the algorithm of a key, the key, and a comment.
struct AllowedSignerReader {
    private let number: Int
    private var rest: ArraySlice<UInt8>

    init(_ line: String, number: Int) {
        self.number = number
        rest = Array(line.utf8)[...]
    }

    /// Nil for a line without a key: blank, or a comment.
    func read() throws(AllowedSigners.Problem) -> AllowedSigners.Line? {
        var reader = self
        return try reader.line()
    }

    private mutating func line() throws(AllowedSigners.Problem) -> AllowedSigners.Line? {
        skipBlanks()
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        let principals = try principals()
        var options = Options()
        var algorithm = word()
        if !Self.isAlgorithm(algorithm) {
            rest = algorithm + rest
            options = try self.options()
            algorithm = word()
        }
        guard Self.isAlgorithm(algorithm) else {
            throw problem("'\(Self.text(algorithm))' in the place of a key", "options, then a key: ssh-ed25519 AAAA…")
        }
        let blob = word()
        guard let bytes = Base64.decode(blob) else {
            throw problem("a key that is no Base64", "ssh-keygen's, on one line")
        }
        let isOurs = Self.text(algorithm) == SSHPublicKey.algorithm
        let key = SSHPublicKey(blob: bytes)
        if isOurs, key == nil { throw problem("a key that is none of ssh-ed25519", "ssh-keygen's, on one line") }
        let passedOver = options.isAuthority ? "an authority" : isOurs ? nil : "not Ed25519"
        skipBlanks()
        return AllowedSigners.Line(
            number: number, principals: principals, key: passedOver == nil ? key : nil, passedOver: passedOver,
            namespaces: options.namespaces, validAfter: options.validAfter, validBefore: options.validBefore,
            comment: Self.trimmed(rest))
    }

    // MARK: Words

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        text(bytes.prefix(bytes.lastIndex { !isBlank($0) }.map { $0 - bytes.startIndex + 1 } ?? 0))
    }

    private static func isAlgorithm(_ word: some Collection<UInt8>) -> Bool {
        let text = text(word)
        let families = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "rsa-sha2-"]
        return families.contains { text.hasPrefix($0) }
    }

    private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

    private mutating func word() -> ArraySlice<UInt8> {
        skipBlanks()
        defer { rest = rest.drop { !Self.isBlank($0) } }
        return rest.prefix { !Self.isBlank($0) }
    }

    private func problem(_ found: String, _ expected: String) -> AllowedSigners.Problem {
        AllowedSigners.Problem(line: number, found: found, expected: expected)
    }

    // MARK: Principals

    private mutating func principals() throws(AllowedSigners.Problem) -> PatternList {
        guard rest.first == UInt8(ascii: "\"") else { return PatternList(Self.text(word())) }
        guard let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
            throw problem("a quote that is not closed", "principals between two quotes")
        }
        let text = Self.text(rest[(rest.startIndex + 1)..<end])
        rest = rest[(end + 1)...]
        return PatternList(text)
    }

    // MARK: Options

    private struct Options {
        var isAuthority = false
        var namespaces: PatternList?
        var validAfter: Int64?
        var validBefore: Int64?
    }

    /// Separated by commas, and ended by a blank outside of quotes.
    private mutating func options() throws(AllowedSigners.Problem) -> Options {
        var options = Options()
        repeat { try option(&options) } while takes(",")
        guard rest.first.map(Self.isBlank) == true else {
            throw problem("something behind an option", "a comma or a blank")
        }
        if let after = options.validAfter, let before = options.validBefore, before <= after {
            throw problem("a valid-before that is not later than valid-after", "a time in which the key is valid")
        }
        return options
    }

    private mutating func takes(_ character: String) -> Bool {
        guard rest.starts(with: character.utf8) else { return false }
        rest = rest.dropFirst(character.utf8.count)
        return true
    }

    private mutating func option(_ options: inout Options) throws(AllowedSigners.Problem) {
        let name = Self.text(rest.prefix { !Self.isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ",") })
        rest = rest.dropFirst(name.utf8.count)
        switch name.lowercased() {
        case "cert-authority": options.isAuthority = true
        case "namespaces":
            guard options.namespaces == nil else { throw twice(name) }
            options.namespaces = PatternList(try value(of: name))
        case "valid-after":
            guard options.validAfter == nil else { throw twice(name) }
            options.validAfter = try time(of: name)
        case "valid-before":
            guard options.validBefore == nil else { throw twice(name) }
            options.validBefore = try time(of: name)
        default:
            throw problem(
                "the unknown option '\(name)'", "one of cert-authority, namespaces, valid-after, valid-before")
        }
    }

    private func twice(_ name: String) -> AllowedSigners.Problem {
        problem("'\(name)' a second time", "each option once")
    }

    /// Behind the name: `="…"`, where `\"` stands for a quote.
    private mutating func value(of name: String) throws(AllowedSigners.Problem) -> String {
        guard takes("=\"") else { throw problem("'\(name)' without a value", "\(name)=\"…\"") }
        var value: [UInt8] = []
        while let byte = rest.first {
            rest = rest.dropFirst()
            if byte == UInt8(ascii: "\""), !value.isEmpty { return Self.text(value) }
            if byte == UInt8(ascii: "\"") { throw problem("an empty '\(name)'", "\(name)=\"…\"") }
            let isEscaped = byte == UInt8(ascii: "\\") && rest.first == UInt8(ascii: "\"")
            value.append(isEscaped ? UInt8(ascii: "\"") : byte)
            if isEscaped { rest = rest.dropFirst() }
        }
        throw problem("a quote that is not closed", "\(name)=\"…\"")
    }

    private mutating func time(of name: String) throws(AllowedSigners.Problem) -> Int64 {
        let text = try value(of: name)
        guard let time = SignerTime.seconds(text) else {
            throw problem("the time '\(text)' of '\(name)'", "YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z for UTC")
        }
        return time
    }
}
