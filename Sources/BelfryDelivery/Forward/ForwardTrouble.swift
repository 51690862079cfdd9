import BelfryRuntime

/// Why an attempt did not get through, for people.
struct ForwardTrouble: Sendable, Hashable {
    /// "https://example.org/events answers 503 Service Unavailable"
    let sentence: String
    /// What else there is to know.
    private var details: [String] = []
    private var fix: String?

    init(_ failure: NoAnswer, of address: String) {
        sentence = "\(address) \(failure.reason)"
    }

    init(_ answer: EndpointAnswer, of address: String) {
        sentence = "\(address) answers \(answer.status)\(answer.phrase.isEmpty ? "" : " \(answer.phrase)")"
    }

    /// With what to do about it: it does not get better by itself.
    init(_ answer: EndpointAnswer, refusing batch: ForwardBatch, of address: String) {
        self.init(answer, of: address)
        let text = answer.text.split(whereSeparator: \.isNewline).joined(separator: " ")
        if !text.isEmpty { details.append("why: it says: \(text)") }
        if batch.count == 1 {
            details.append("item: \(String(decoding: batch.first, as: UTF8.self).shortened(to: 500))")
        }
        fix = answer.fix
    }

    func warning(waiting: Int) -> String {
        let effect = "effect: \(waiting) items are waiting, in order; none is lost, and it is tried again"
        let lines = details + [effect] + (fix.map { ["fix: \($0)"] } ?? [])
        return "warning: cannot forward: \(sentence)\n" + lines.map { "  \($0)" }.joined(separator: "\n")
    }
}

extension EndpointAnswer {
    fileprivate var fix: String {
        switch status {
        case 300...399: "give 'forward.url' the right address\(location.map { "; it names '\($0)'" } ?? "")"
        case 401, 403, 407: "check what 'forward.headers' says about who we are"
        case 404, 405, 410: "check 'forward.url'"
        case 413: "let the endpoint take a body of this size"
        default: "let the endpoint take it; what it has no use for it can take and throw away"
        }
    }
}

extension String {
    fileprivate func shortened(to length: Int) -> String {
        count > length ? prefix(length) + "…" : self
    }
}
