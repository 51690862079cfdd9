import HTTPTypes

/// Names that are looked for in each request: to make one of a text takes longer than to look.
extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
    static let lastEventID = Self("Last-Event-ID")!
    static let prefer = Self("Prefer")!
    static let secFetchSite = Self("Sec-Fetch-Site")!
}

extension HTTPFields {
    /// The value of a field that is there once, in most requests; the same as the subscript, which makes a text of many of it.
    func value(_ name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}
