import BelfryPlugin

/// Puts a line below every message.
struct Signature: Filter {
    static let name = "signature"
    static let summary = "Puts a line below every message."

    struct Parameters: ParameterList {
        var line = ""
        static var parameters: [Parameter<Self>] { [.required("line", \.line, "what stands below the message")] }
    }

    let parameters: Parameters
    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    func apply(_ candidate: Candidate, edits: Edits, context: Context) throws(StrategyError) {
        guard let message = candidate.message else { return edits.drop("there is no message to sign") }
        edits.setMessage("\(message)\n\(parameters.line)")
    }
}

/// Shares the notification with a friend.
struct Share: ActionProvider {
    static var actions: [Action] {
        [Action(type: "share", summary: "offers the notification's text to other apps") { perform(share, $0, $1, $2) }]
    }
}

private func share(_ call: ActionCall) throws(StrategyError) -> Value? {
    guard let text = call.payload["message"]?.text else { throw StrategyError("there is no text to share") }
    return ["shared": .text(text)]
}
