import CPostgres

/// Where a database is, as libpq takes it: a URL, or words such as `host=db dbname=belfry`
/// (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING).
public struct PostgresAddress: Sendable, Hashable {
    /// As libpq takes it. It may have a password in it.
    let text: String

    /// - Parameter text: `postgres:` and `postgresql:` with a URL or with words; nil for anything else.
    public init?(_ text: String) {
        guard let scheme = ["postgres:", "postgresql:"].first(where: { text.hasPrefix($0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        if rest.isEmpty || rest == "//" { return nil }
        // An @ or a slash in a password is to be encoded; libpq would take the rest of it for something that may be shown.
        let place = rest.prefix { $0 != "?" }
        if place.hasPrefix("//"), place.dropFirst(2).drop(while: { $0 != "@" && $0 != "/" }).dropFirst().contains("@") {
            return nil
        }
        self.text = rest.hasPrefix("//") ? "postgresql:\(rest)" : String(rest)
    }
}

extension PostgresAddress: CustomStringConvertible {
    /// As a URL, with nothing in it but what is known to be no secret.
    public var description: String {
        guard let words = try? PostgresLibrary.functions.words(of: self) else { return "postgres:…" }
        let (host, port) = (words["host"] ?? words["hostaddr"] ?? "", words["port"].map { ":\($0)" } ?? "")
        let user = words["user"].map { "\($0)@" } ?? ""
        let isSocket = host.hasPrefix("/")
        let parameters = [isSocket ? "host=\(host)" : nil, words["options"].map { "options=\($0)" }].compactMap { $0 }
        let path = "\(user)\(isSocket ? "" : host)\(port)/\(words["dbname"] ?? "")"
        return "postgres://\(path)\(parameters.isEmpty ? "" : "?")\(parameters.joined(separator: "&"))"
    }
}

extension PostgresFunctions {
    /// What an address says; nil if libpq does not take it.
    func words(of address: PostgresAddress) -> [String: String]? {
        var error: UnsafeMutablePointer<CChar>?
        guard let options = conninfoParse(address.text, &error) else {
            freemem(error)
            return nil
        }
        defer { conninfoFree(options) }
        var words: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            words[String(cString: keyword)] = option.pointee.val.map { String(cString: $0) }
            option += 1
        }
        return words
    }
}
