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
        self.text = rest.hasPrefix("//") ? "postgresql:\(rest)" : String(rest)
    }
}

extension PostgresAddress: CustomStringConvertible {
    /// Without a password, and without what comes behind one.
    public var description: String {
        let shown = text.range(of: "password=").map { text[..<$0.lowerBound] + "…" } ?? text[...]
        guard let scheme = shown.range(of: "://"), let end = shown[scheme.upperBound...].firstIndex(of: "@") else {
            return (text.hasPrefix("postgresql:") ? "" : "postgres:") + shown
        }
        let user = shown[scheme.upperBound..<end].prefix { $0 != ":" }
        return "\(shown[..<scheme.upperBound])\(user)\(shown[end...])"
    }
}

extension String {
    /// Where a text is in it for the first time.
    fileprivate func range(of text: String) -> Range<Index>? { self[...].range(of: text) }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
    }
}
