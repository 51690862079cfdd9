import HTTPTypes

/// Names that are looked for in each request: to make one of a text takes longer than to look.
extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!
    static let idempotencyReplayed = Self("Idempotency-Replayed")!
    static let lastEventID = Self("Last-Event-ID")!
    static let prefer = Self("Prefer")!
    static let secFetchSite = Self("Sec-Fetch-Site")!
}
