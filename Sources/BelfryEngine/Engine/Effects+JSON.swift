import BelfryModel
import CBelfry

/// What comes after the id of a decision in its line, up to its subject, prepared for every kind.
struct LineHeads: Sendable {
    private let heads: [[UInt8]]

    init(source: String) {
        heads = Decision.Kind.allCases.map {
            Array(",\"source\":\(Value.text(source).json),\"type\":\"\($0.rawValue)\",\"subject\":".utf8)
        }
    }

    subscript(kind: Decision.Kind) -> [UInt8] { heads[kind.index] }
}

extension Effects {
    /// Appends the line of a decision: the bytes that `Decision.write` would append.
    ///
    /// - Returns: what is missing in it.
    public func write(_ index: Int, to writer: inout JSONWriter, _ catalog: Catalog) -> Decision.Gap? {
        let line = lines[index]
        guard case .candidate(let candidate) = line.body else {
            return decision(index).write(to: &writer, source: catalog.configuration.app)
        }
        writer.append("{\"specversion\":\"1.0\",\"id\":")
        let text = writer.appendID(of: line.number, subject: subject)
        writer.append(catalog.lineHeads[line.kind])
        writer.appendQuoted(again: text)
        writer.append(",\"time\":")
        writer.appendQuoted(line.time)
        writer.append(",\"cause\":")
        write(line.cause, to: &writer)
        writer.append(",\"data\":{")
        candidate.trigger.with { write(candidate, of: $0, line.kind, to: &writer) }
        writer.append("}}")
        writer.endLine()
        return nil
    }

    private func write(
        _ line: CandidateLine, of trigger: TriggerPlan, _ kind: Decision.Kind, to writer: inout JSONWriter
    ) {
        if kind == .created {
            writer.append("\"notification\":")
            writer.appendQuoted("\(trigger.campaign.campaign.id)/\(line.number)")
            writer.append(",")
        }
        writer.append(trigger.json)
        if let region = line.region { writer.append(region.with { $0.json }) }
        if kind == .created {
            show(line, trigger.campaign, to: &writer)
        } else {
            writer.append(",\"reasons\":")
            write(line.reasons, to: &writer)
        }
        if !line.observed.isEmpty {
            writer.append(",\"observed\":")
            write(line.observed, to: &writer)
        }
        if kind != .created { write(line.until, to: &writer) }
    }

    private func show(_ line: CandidateLine, _ campaign: CampaignPlan, to writer: inout JSONWriter) {
        if let content = line.content {
            contents[content].write(to: &writer)
        } else {
            writer.append(campaign.contentJSON)
        }
    }

    private func write(_ range: Range<Int>, to writer: inout JSONWriter) {
        writer.append("[")
        for index in range {
            if index > range.lowerBound { writer.append(",") }
            write(denials[index], to: &writer)
        }
        writer.append("]")
    }

    private func write(_ denial: Denial, to writer: inout JSONWriter) {
        if let plan = denial.plan {
            plan.with { plan in
                if denial.code.bytes == nil { return writer.append(plan.denialJSON) }
                writer.append(plan.strategyJSON)
            }
        } else {
            writer.append("{\"strategy\":\"belfry\",\"code\":")
        }
        if denial.code.bytes != nil { write(denial.code, to: &writer) }
        writer.append(",\"message\":")
        write(denial.message, to: &writer)
        write(denial.until, to: &writer)
        if denial.counter.bytes != nil {
            writer.append(",\"counter\":")
            write(denial.counter, to: &writer)
        }
        writer.append("}")
    }

    private func write(_ until: Instant?, to writer: inout JSONWriter) {
        guard let until else { return }
        writer.append(",\"until\":")
        writer.appendQuoted(until)
    }

    private func write(_ text: belfry_text, to writer: inout JSONWriter) {
        writer.appendQuoted(text.utf8.bindMemory(to: UInt8.self))
    }
}
