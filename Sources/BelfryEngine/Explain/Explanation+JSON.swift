import BelfryModel

extension Explanation {
    /// As in `belfry explain --json`. Absent values are left out.
    public var value: Value {
        var fields: Fields = [
            "subject": .text(subject), "time": .text(time.description), "campaign": .text(origin.campaign),
        ]
        fields["trigger"] = origin.trigger.map { .text($0) }
        fields["region"] = origin.region.map { .text($0) }
        fields["on"] = .text(event)
        if !variants.isEmpty {
            fields["variants"] = .list(
                variants.map { ["experiment": .text($0.experiment), "variant": .text($0.name)] })
        }
        fields["entries"] = .list(entries.map(\.value))
        fields["result"] = .text(result.rawValue)
        fields["reasons"] = .list(reasons.map(\.value))
        if !observed.isEmpty { fields["observed"] = .list(observed.map(\.value)) }
        fields["title"] = content.title.map { .text($0) }
        fields["message"] = content.message.map { .text($0) }
        fields["data"] = content.data
        switch earliest {
        case .at(let instant): fields["earliest"] = .text(instant.description)
        case .never: fields["earliest"] = .null
        case .notBefore(let instant):
            fields["earliest"] = .null
            fields["notBefore"] = .text(instant.description)
        }
        return .map(fields)
    }
}

extension Explanation.Entry {
    /// As in `entries` of an explanation.
    public var value: Value {
        var fields: Fields = [
            "entry": .text(id), "strategy": .text(strategy), "control": .text(control.rawValue),
            "asked": .bool(notAsked == nil),
        ]
        fields["counter"] = counter.map { .text($0) }
        fields["why"] = notAsked.map { .text($0) }
        guard let verdict else { return .map(fields) }
        fields["parameters"] = .list(parameters.map(\.jsonValue))
        fields["state"] = .map(Fields(state.map { ($0.key, $0.value.value) }))
        fields["verdict"] = .text(verdict.name)
        fields["code"] = code.map { .text($0) }
        fields["message"] = sentence.map { .text($0) }
        fields["until"] = verdict.reason?.until.map { .text($0.description) }
        return .map(fields)
    }

    /// What it said, in words; nil for a verdict without a reason.
    public var sentence: String? {
        if case .fault(let message) = verdict { message } else { verdict?.reason?.message }
    }

    /// The code of its reason: the strategy's name, unless it says more.
    public var code: String? {
        if case .fault = verdict { "fault" } else { verdict?.reason.map { $0.code ?? strategy } }
    }
}

extension Explanation.Parameter {
    fileprivate var jsonValue: Value { ["name": .text(name), "value": value, "source": .text(source)] }
}

extension Verdict {
    /// As in `belfry explain --json`.
    public var name: String {
        switch self {
        case .abstain: "abstain"
        case .allow: "allow"
        case .deny: "deny"
        case .defer: "defer"
        case .collect: "collect"
        case .withhold: "withhold"
        case .fault: "fault"
        }
    }
}

extension Decision.Denial {
    /// As in `reasons` of a decision.
    public var value: Value {
        var fields: Fields = ["strategy": .text(strategy), "code": .text(code), "message": .text(message)]
        fields["until"] = until.map { .text($0.description) }
        fields["counter"] = counter.map { .text($0) }
        fields["silence"] = silence.map { .text($0) }
        return .map(fields)
    }
}
