import BelfryModel

/// A signed token (RFC 7519), taken apart; nothing in it is to be believed yet.
struct JSONWebToken {
    let header: Fields
    let claims: Fields
    /// What was signed.
    let text: [UInt8]
    let signature: [UInt8]

    /// Nil if it is none.
    init?(_ token: some StringProtocol) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.fields(parts[0]), let claims = Self.fields(parts[1]),
            let signature = [UInt8](strictBase64URL: parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        text = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func fields(_ part: some StringProtocol) -> Fields? {
        [UInt8](strictBase64URL: part).flatMap { Value(json: $0[...])?.map }
    }

    /// An instant in the claims, which are in seconds since 1970 (RFC 7519, section 2).
    ///
    /// - Returns: nil if it is not there.
    /// - Throws: `TokenRefusal` if it is none.
    func instant(_ name: String) throws -> Instant? {
        guard let value = claims[name] else { return nil }
        guard let seconds = value.number, abs(seconds) < 1e11 else {
            throw TokenRefusal("a token whose '\(name)' is no time in seconds", "have the issuer correct it")
        }
        return Instant(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// The texts of a claim, which is one, several with blanks between them, or a list. It is looked for by its name, then by a path with dots.
    func texts(_ name: String) -> [String] {
        let path = name.split(separator: ".").map(String.init)
        guard let value = claims[name] ?? claims.value(at: path[...]) else { return [] }
        if let text = value.text { return text.split(separator: " ").map(String.init) }
        return (value.list ?? []).compactMap(\.text)
    }

    /// Whether it is for an audience (RFC 7519, section 4.1.3).
    func isFor(_ audience: String) -> Bool {
        let value = claims["aud"]
        return value?.text == audience || value?.list?.contains(.text(audience)) == true
    }
}

/// Why a token does not say who calls.
struct TokenRefusal: Error {
    let found: String
    let fix: String

    init(_ found: String, _ fix: String) { (self.found, self.fix) = (found, fix) }
}
