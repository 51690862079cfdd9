import BelfryPlugin

/// Cuts a title that is too long.
struct MyPlugin: Filter {
    static let name = "my-plugin"
    static let summary = "Cuts a title that is too long."

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    struct Parameters: ParameterList {
        var length = 40

        static var parameters: [Parameter<Self>] {
            [.optional("length", \.length, "how many characters a title may have", range: .atLeast(1))]
        }
    }

    let parameters: Parameters

    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    /// Pure, like the questions of a strategy: the same notification gets the same edits.
    func apply(_ candidate: Candidate, edits: Edits, context: Context) {
        guard let title = candidate.title, title.count > parameters.length else { return }
        edits.setTitle("\(title.prefix(parameters.length - 1))…")
    }
}
