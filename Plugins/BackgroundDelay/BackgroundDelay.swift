import BelfryPlugin

/// Nothing while the app is in front, nor for a period after each move into the background.
///
/// It remembers nothing: the host says what the app does, and since when.
struct BackgroundDelay: Strategy {
    static let name = "background-delay"
    static let summary = "Allows a notification only when the app has been in the background for a period."

    private let period: Duration
    private let tooSoon: String

    init(_ parameters: Parameters, host: Host) {
        period = parameters.period
        tooSoon = "the app went to the background less than \(parameters.period) ago"
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        switch context.app {
        case .unknown: return .allow
        // When it will be left is not known, so there is no `until`.
        case .foreground: return .deny("the app is in the foreground")
        case .background(let since):
            let end = since + period
            return context.now < end ? .deny(tooSoon, until: end) : .allow
        }
    }
}

extension BackgroundDelay {
    struct Parameters: ParameterList {
        var period = Duration.zero

        static var parameters: [Parameter<Self>] {
            [
                .required(
                    "period", \.period, "how long after a move into the background nothing is created",
                    range: .atLeast(.zero))
            ]
        }
    }
}
