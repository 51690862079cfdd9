import BelfryPlugin

/// Says what its parameters tell it to, and keeps a log of what it was told.
struct Scripted: Strategy {
    static let name = "scripted"
    static let summary = "says what it is told to"

    struct Parameters: ParameterList {
        var says = Word.abstain
        /// Says it until then, and allows from then on. Of several, the first that is still to come.
        var until: [String] = []
        var code: String?
        /// The same for deletions.
        var deletion = Word.abstain

        static var parameters: [Parameter<Self>] {
            [
                .optional("says", \.says, "what it says of a creation"),
                .optional("until", \.until, "until when"),
                .optional("code", \.code, "the code of a denial"),
                .optional("deletion", \.deletion, "what it says of a deletion"),
            ]
        }
    }

    enum Word: String, ParameterChoice {
        case abstain, allow, deny, `defer`, collect, withhold, fault
    }

    private let parameters: Parameters
    private let until: [Instant]

    init(_ parameters: Parameters, host: Host) {
        host.log(.debug, "made")
        self.parameters = parameters
        until = parameters.until.map(Instant.init(clock:))
    }

    func shouldCreate(_ candidate: Candidate, state: Log, context: Context) -> Verdict {
        let next = until.first { $0 > context.now }
        return until.isEmpty || next != nil ? parameters.says.verdict(parameters.code, until: next) : .allow
    }

    func shouldDelete(_ candidate: Candidate, state: Log, context: Context) -> Verdict {
        parameters.deletion.verdict(parameters.code, until: nil)
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout Log, context: Context) {
        state.add(
            (created ? "created " : "refused ") + candidate.campaign + (candidate.isDeferred ? " again" : ""), context)
    }

    func didDelete(_ candidate: Candidate, deleted: Bool, state: inout Log, context: Context) {
        state.add((deleted ? "deleted " : "kept ") + (candidate.notification ?? ""), context)
    }

    func onOpened(_ candidate: Candidate, state: inout Log, context: Context) {
        state.add("opened " + (candidate.notification ?? ""), context)
    }

    func onBackground(state: inout Log, context: Context) { state.add("background", context) }
    func onForeground(state: inout Log, context: Context) { state.add("foreground", context) }
    func updateParameters(state: inout Log, context: Context) { state.add("updated to \(parameters.says)", context) }
}

extension Scripted.Word {
    fileprivate func verdict(_ code: String?, until: Instant?) -> Verdict {
        switch self {
        case .abstain: .abstain
        case .allow: .allow
        case .deny: .deny("it says so", code: code, until: until)
        // Without an `until` on purpose: what the host makes of that is tested too.
        case .defer: .defer(Reason(code: code, message: "it says so", until: until))
        case .collect: .collect(Reason(code: code, message: "it says so", until: until))
        case .withhold: .withhold("it says so", code: code)
        case .fault: .fault("it broke")
        }
    }
}

/// What a strategy was told, a line each, with the time.
struct Log: SelfSavingState {
    private var lines: [String] = []

    init() {}

    mutating func add(_ line: String, _ context: Context) { lines.append("\(context.now.clock) \(line)") }
    mutating func load(from reader: StateReader) {
        lines = reader.text("log")?.split(separator: "\n").map(String.init) ?? []
    }
    func save(to writer: StateWriter) { writer.set("log", lines.isEmpty ? nil : lines.joined(separator: "\n")) }
}

/// Denies with its parameters as the message, so that tests see what the cascade yields.
struct Echo: Strategy {
    static let name = "echo"
    static let summary = "denies, and says with which parameters"

    struct Parameters: ParameterList {
        var max = 0
        var period = Duration.zero
        var lifetime = false
        var note = "-"

        static var parameters: [Parameter<Self>] {
            [
                .required("max", \.max, "how many", range: .atLeast(0)),
                .required("period", \.period, "how long"),
                .optional("lifetime", \.lifetime, "for ever", replaces: ["period"]),
                .optional("note", \.note, "a note"),
            ]
        }
    }

    private let message: String

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        if parameters.max == 13 { throw StrategyError("13 is no lucky number; take 12") }
        host.log(.debug, "made")
        let window = parameters.lifetime ? "ever" : "\(parameters.period)"
        message = "\(parameters.max) per \(window), note \(parameters.note)"
    }

    func shouldCreate(_ candidate: Candidate, state: Log, context: Context) -> Verdict { .deny(message) }
    func didCreate(_ candidate: Candidate, created: Bool, state: inout Log, context: Context) {
        state.add("told", context)
    }
}

/// Wants to stand before `scripted` and after `echo`.
struct Choosy: Strategy {
    static let name = "choosy"
    static let summary = "has wishes about its place"
    static let order = Order(before: ["scripted"], after: ["echo"], reason: "it looks at what comes in between")

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .abstain }
}

/// Remembers nothing, and notes in the log as one more instance that something was opened.
struct Heedful: Strategy {
    static let name = "heedful"
    static let summary = "hears of openings"

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .abstain }

    func onOpened(_ candidate: Candidate, state: inout NoState, context: Context) { context.host.log(.debug, "made") }
}

/// Edits as its parameters tell it to.
struct Editor: Filter {
    static let name = "editor"
    static let summary = "edits the texts"

    struct Parameters: ParameterList {
        var append = ""
        var category: String?
        var data: Value?
        var buttons: Value?
        var then: Then?

        static var parameters: [Parameter<Self>] {
            [
                .optional("append", \.append, "text for the end of the title"),
                .optional("category", \.category, "another category"),
                .optional("data", \.data, "other data"),
                .optional("buttons", \.buttons, "other buttons"),
                .optional("then", \.then, "what it does after that"),
            ]
        }
    }

    enum Then: String, ParameterChoice {
        case drop, fail, unbutton
    }

    let parameters: Parameters

    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    func apply(_ candidate: Candidate, edits: Edits, context: Context) throws(StrategyError) {
        edits.setTitle((candidate.title ?? "") + parameters.append)
        if let category = parameters.category { edits.setCategory(category) }
        if let data = parameters.data { edits.setData(data) }
        if let buttons = parameters.buttons { edits.setButtons(buttons) }
        switch parameters.then {
        case .drop: edits.drop("nobody wants it")
        case .fail: throw StrategyError("out of ink")
        case .unbutton: edits.setButtons(nil)
        case nil: break
        }
    }
}

/// Defers until an instant that is not later, or until none at all.
struct Backward: Strategy {
    static let name = "backward"
    static let summary = "defers without end"

    struct Parameters: ParameterList {
        var until: String?

        static var parameters: [Parameter<Self>] { [.optional("until", \.until, "until when")] }
    }

    private let until: Instant?

    init(_ parameters: Parameters, host: Host) { until = parameters.until.map(Instant.init(clock:)) }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        .defer(Reason(message: "it says so", until: until))
    }
}

/// Remembers nothing until the app goes to the background, and denies after that.
struct Quiet: Strategy {
    static let name = "quiet"
    static let summary = "denies after a move to the background"

    struct State: StrategyState {
        var movedAt: Instant?

        init() {}
        static var fields: [StateField<Self>] { [StateField("movedAt", \.movedAt, "when the app went away last")] }
    }

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        state.movedAt == nil ? .abstain : .deny("it moved")
    }

    func onBackground(state: inout State, context: Context) { state.movedAt = context.now }
}
