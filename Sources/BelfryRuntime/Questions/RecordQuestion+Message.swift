import BelfryEngine
import BelfryModel

// What the host asks of a process that is forked for a question.

extension RecordQuestion {
    private var isWatched: Bool { if case .watched = self { true } else { false } }

    func message(about subject: String, _ record: [UInt8]?, _ faults: [PlannedFault]) -> MessageWriter {
        var message = MessageWriter()
        message.list(faults) { $0.fault($1) }
        message.text(subject)
        message.optional(record) { $0.bytes($1) }
        guard case .explain(let question) = self else {
            message.bool(false)
            message.bool(isWatched)
            return message
        }
        message.bool(true)
        message.text(question.campaign)
        for text in [question.trigger, question.region, question.channel] { message.optionalText(text) }
        message.instant(question.time)
        message.value(.map(question.attributes))
        return message
    }

    init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        guard try reader.bool() else {
            self = try reader.bool() ? .watched : .loaded
            return
        }
        self = .explain(
            Explanation.Question(
                campaign: try reader.text(), trigger: try reader.optionalText(), region: try reader.optionalText(),
                channel: try reader.optionalText(), time: try reader.instant(), attributes: try reader.fields()))
    }
}
