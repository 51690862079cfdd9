import BelfryPlugin

/// Fills what is known of the subject into a notification, or drops the notification for some subjects.
///
/// Plot Projects: the filter that every notification passes before it is shown, to personalise it or to match interests.
struct Personalize: Filter {
    static let name = "personalize"
    static let summary = "Fills what is known of the subject into a notification, or drops it."

    private let parameters: Parameters

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        if parameters.drop?.source.isEmpty == true {
            throw StrategyError(
                "'drop' is an empty condition, which drops everything; say whom to drop, or leave it out")
        }
        if parameters.isAboutAttributes { try host.require(.attributes, for: "templates") }
        self.parameters = parameters
    }

    func apply(_ candidate: Candidate, edits: Edits, context: Context) {
        if let condition = parameters.drop, condition.holds(for: candidate, context: context) {
            return edits.drop("'drop' holds: \(Value.map(condition.source).json)")
        }
        let blanks = Blanks(candidate: candidate, context: context)
        if let title = parameters.title { edits.setTitle(blanks.fill(title, of: "title")) }
        if let message = parameters.message { edits.setMessage(blanks.fill(message, of: "message")) }
        if let data = parameters.data { edits.setData(blanks.fill(data)) }
    }
}

extension Personalize {
    struct Parameters: ParameterList {
        var title: Template?
        var message: Template?
        var data: DataTemplate?
        var drop: Condition?

        static var parameters: [Parameter<Self>] {
            [
                .optional("title", \.title, "the title, a template"),
                .optional("message", \.message, "the message, a template"),
                .optional(
                    "data", \.data, "the data: a template, which makes text, or a mapping or list with templates in it"),
                .optional("drop", \.drop, "drops the notification where this condition holds"),
            ]
        }

        var isAboutAttributes: Bool { title != nil || message != nil || data != nil }
    }
}
