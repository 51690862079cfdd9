import BelfryRuntime

/// Takes what is forwarded, or does not.
///
/// The forwarder sends one batch after the other, from a thread of its own. Everything that the network does is behind this.
protocol ForwardEndpoint: AnyObject, Sendable {
    /// Its address, for messages.
    var address: String { get }

    /// Sends a batch and waits for the answer, not longer than the configured time.
    ///
    /// - Throws: when there was no answer, or not a whole one.
    func post(_ batch: ForwardBatch) throws(NoAnswer) -> EndpointAnswer

    /// Ends the attempt that is under way, and every later one. Any thread may call.
    func cancel()

    /// Lets go of everything. No attempt is under way, and none follows.
    func close()
}

/// Why there is no answer, as the end of a sentence that begins with the address: "does not answer within 30s".
struct NoAnswer: Error, Sendable {
    var reason: String
    /// Nothing was sent, because nothing may be sent to that address.
    var isForbidden: Bool

    init(_ reason: String, isForbidden: Bool = false) {
        (self.reason, self.isForbidden) = (reason, isForbidden)
    }

    static let cancelled = NoAnswer("had not answered when its delivery was ended")
}

/// What an endpoint answered.
struct EndpointAnswer: Sendable {
    /// An HTTP status.
    var status: Int
    /// What the status means.
    var phrase: String
    /// Header fields that matter here, as they came.
    var retryAfter: String?
    var date: String?
    var location: String?
    /// The beginning of the body.
    var text: String

    init(
        status: Int, phrase: String = "", retryAfter: String? = nil, date: String? = nil, location: String? = nil,
        text: String = ""
    ) {
        self.status = status
        self.phrase = phrase
        self.retryAfter = retryAfter
        self.date = date
        self.location = location
        self.text = text
    }
}
