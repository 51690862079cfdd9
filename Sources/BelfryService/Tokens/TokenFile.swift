import BelfryConfiguration
import BelfryModel
import Foundation
import Yams

/// What lets a client call.
public struct Token: Sendable, Hashable {
    public let name: String
    public let role: Role
    let digest: SHA256Digest
    public let expires: Instant?
    /// The name of the one that is made where none is configured.
    static let thisStart = "this start"
}

/// The file with the tokens of a service: digests only, so that who reads it can call nothing.
public struct TokenFile {
    public let path: String
    public private(set) var tokens: [Token] = []

    /// Reads the file; none is as good as an empty one.
    ///
    /// - Throws: `TokenFileFailure`.
    public init(path: String) throws {
        self.path = path
        guard let text = try Self.text(of: path) else { return }
        let root = try Self.root(of: text, path)
        guard let list = root["tokens"] as? [Any] else {
            throw TokenFileFailure(
                path: path, why: "there is no list 'tokens' in it", fix: "'belfry tokens new' writes it")
        }
        if let other = root.keys.first(where: { $0 != "tokens" }) {
            throw TokenFileFailure(path: path, why: "'\(other)' is no key; expected tokens", fix: "take it out")
        }
        tokens = try list.enumerated().map { try token($1, number: $0 + 1) }
        try checkNames()
    }

    /// Nil if there is no file; one that cannot be reached may well be there.
    private static func text(of path: String) throws -> String? {
        var status = stat()
        let isKnown = stat(path, &status) == 0
        if !isKnown, errno == ENOENT { return nil }
        guard isKnown else {
            throw TokenFileFailure(
                path: path, why: "it cannot be reached: \(String(cString: strerror(errno)))",
                fix: "check the permissions of its folders, and the links that lead there")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TokenFileFailure(
                path: path, why: "it is no file with text", fix: "name another one: 'serve: { tokens }'")
        }
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
            throw TokenFileFailure(
                path: path, why: "it cannot be read: \(error.fileReason)",
                fix: "make it a text in UTF-8 that this user may read")
        }
    }

    private static func root(of text: String, _ path: String) throws -> [String: Any] {
        let fix = "correct it there; to make it anew takes all tokens away"
        if YAMLAliases.areMany(in: text) { throw TokenFileFailure(path: path, why: "it has many aliases", fix: fix) }
        do { return try Yams.load(yaml: text) as? [String: Any] ?? [:] } catch {
            let line = "\(error)".split(separator: "\n").first ?? ""
            throw TokenFileFailure(path: path, why: "it cannot be read as YAML: \(line)", fix: fix)
        }
    }

    private func token(_ item: Any, number: Int) throws -> Token {
        func failure(_ what: String) -> TokenFileFailure {
            TokenFileFailure(
                path: path, why: "token \(number): \(what)", fix: "correct it in the file, or take it out there")
        }
        guard let fields = item as? [String: Any] else { throw failure("expected a mapping") }
        if let other = fields.keys.first(where: { !["name", "role", "digest", "expires"].contains($0) }) {
            throw failure("'\(other)' is no key; expected name, role, digest or expires")
        }
        guard let name = fields["name"] as? String, !name.isEmpty else { throw failure("it has no name") }
        if name.hasPrefix(TokenIssuer.prefix) { throw failure(Self.takenPrefix) }
        guard let role = (fields["role"] as? String).flatMap(Role.init) else {
            throw failure("the role of '\(name)' is none of submit, read, operate and admin")
        }
        guard let digest = (fields["digest"] as? String).flatMap(SHA256Digest.init(text:)) else {
            throw failure("the digest of '\(name)' is not 'sha256:' and 64 lower-case hexadecimal digits")
        }
        var expires: Instant?
        if let value = fields["expires"] {
            expires =
                (value as? String).flatMap { Instant(rfc3339: $0) }
                ?? (value as? Date).map { Instant(milliseconds: Int64(($0.timeIntervalSince1970 * 1000).rounded())) }
            if expires == nil { throw failure("what 'expires' says of '\(name)' is not \(Instant.expectedForm)") }
        }
        return Token(name: name, role: role, digest: digest, expires: expires)
    }

    /// Control characters, which YAML refuses or takes for others, and two that are no characters.
    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || [0xFFFE, 0xFFFF].contains(scalar.value)
    }

    private static let takenPrefix = "names that begin with '\(TokenIssuer.prefix)' are those of an issuer's callers"

    private func checkNames() throws {
        for (index, token) in tokens.enumerated() where tokens[..<index].contains(where: { $0.name == token.name }) {
            throw TokenFileFailure(path: path, why: "there are two tokens '\(token.name)'", fix: "rename one of them")
        }
    }

    /// Adds a token.
    ///
    /// - Returns: its secret, which is nowhere else.
    /// - Throws: `TokenFileFailure` if there is one of that name, or a token cannot have it.
    public mutating func add(_ name: String, role: Role, expires: Instant?) throws -> String {
        guard !tokens.contains(where: { $0.name == name }) else {
            throw TokenFileFailure(
                path: path, why: "there is a token '\(name)' already", fix: "name another one, or revoke that first")
        }
        if name.hasPrefix(TokenIssuer.prefix) {
            throw TokenFileFailure(path: path, why: Self.takenPrefix, fix: "call it otherwise")
        }
        if name.isEmpty || name.unicodeScalars.contains(where: Self.isUnprintable) {
            throw TokenFileFailure(
                path: path, why: "a token needs a name of printable characters",
                fix: "name who is to use it, for example 'belfry tokens new shop-backend'")
        }
        let secret = newSecret()
        tokens.append(Token(name: name, role: role, digest: SHA256Digest(of: secret), expires: expires))
        return secret
    }

    /// Takes a token out.
    ///
    /// - Throws: `TokenFileFailure` if there is none of that name.
    public mutating func revoke(_ name: String) throws {
        guard let index = tokens.firstIndex(where: { $0.name == name }) else {
            let nearest = nearestMatch(to: name, among: tokens.map(\.name)).map { "did you mean '\($0)'?" }
            throw TokenFileFailure(
                path: path, why: "there is no token '\(name)'", fix: nearest ?? "'belfry tokens list' names them")
        }
        tokens.remove(at: index)
    }

    /// Writes it, for the eyes of its owner only.
    ///
    /// - Throws: `TokenFileFailure` if it cannot be written; the file is as it was then.
    public func write() throws {
        var text = "# Written by 'belfry tokens'. Digests only: a secret is told once, when it is made.\ntokens:\n"
        if tokens.isEmpty { text = text.replacing("tokens:\n", with: "tokens: []\n") }
        for token in tokens {
            text += "  - name: \(Value.text(token.name).json)\n    role: \(token.role.rawValue)\n"
            text += "    digest: \"\(token.digest)\"\n"
            if let expires = token.expires { text += "    expires: \"\(expires)\"\n" }
        }
        do { try AtomicFile.write(path, text: text, mode: 0o600) } catch {
            throw TokenFileFailure(path: path, why: "it cannot be written: \(error)", fix: error.fix)
        }
    }
}

/// Why the tokens of a service cannot be used.
public struct TokenFileFailure: Error, CustomStringConvertible {
    let path: String
    let why: String
    let fix: String

    public var description: String { "cannot use the tokens in '\(path)'\n  why: \(why)\n  fix: \(fix)" }
}
