import BelfryCore
import BelfryEngine
import BelfryModel
import Glibc

/// A question about what a record holds, which the chain has to be asked for.
public enum RecordQuestion: Sendable {
    case explain(Explanation.Question)
    /// Which triggers are loaded, and the nearest ones that are not.
    case loaded
}

/// Why a question has no answer.
public struct QuestionRefusal: Error, CustomStringConvertible {
    public let description: String
}

extension DecisionSource {
    /// Asks the plugins on a copy of a record; the shards go on meanwhile.
    ///
    /// - Parameter record: as it is stored; nil for a subject that nothing is known of.
    /// - Returns: the answer in JSON.
    /// - Throws: `QuestionRefusal` if there is no such candidate, or a plugin did not survive the question; `RecordFailure`.
    public func answer(_ question: RecordQuestion, about subject: String, _ record: [UInt8]?) throws -> Value {
        switch self {
        case .threads(let loaded): try question.answer(about: subject, record, by: loaded)
        case .processes(let zygote): try zygote.answer(question, about: subject, record)
        }
    }
}

extension RecordQuestion {
    fileprivate func answer(about subject: String, _ record: [UInt8]?, by loaded: Workspace.Loaded) throws -> Value {
        // Entries of a chain are for one thread.
        let former = loaded.catalog
        let catalog = try Catalog(former.configuration, providers: loaded.providers, services: former.services)
        let record =
            if let record { try SubjectRecord(subject: subject, reading: record) } else {
                SubjectRecord(subject: subject)
            }
        switch self {
        case .loaded: return .list(catalog.loaded(for: record).map(\.value))
        case .explain(let question):
            do {
                return try Engine(catalog).explain(question, record).value
            } catch let error as UnansweredQuestion {
                throw QuestionRefusal(description: "\(error)")
            }
        }
    }
}

// MARK: In a process

extension Zygote {
    /// A plugin that hangs is not waited for longer.
    private static let patience = Duration.seconds(10)

    fileprivate func answer(_ question: RecordQuestion, about subject: String, _ record: [UInt8]?) throws -> Value {
        let settings = question.message(about: subject, record).array
        let (socket, process) = try fork(.question, settings, over: FrameSocket.pair) { $0.hearNumber() }
        defer { socket.close() }
        let answer = socket.receive(within: Self.patience)
        if answer == nil { kill(process, SIGKILL) }
        let end = ProcessEnd.wait(for: process) ?? .exit(0)
        guard let answer else { throw QuestionRefusal.died(end == .signal(SIGKILL) ? .overran : end) }
        var reader = MessageReader(answer.bytes)
        if try reader.bool() { throw QuestionRefusal(description: try reader.text()) }
        return try reader.value()
    }
}

extension QuestionRefusal {
    fileprivate static func died(_ end: ProcessEnd) -> QuestionRefusal {
        QuestionRefusal(
            description: """
                the process that asks the plugins \(end.words), most likely because of a plugin
                  fix: 'belfry plugins check FILE' looks at a plugin alone
                """)
    }
}

extension RecordQuestion {
    fileprivate func message(about subject: String, _ record: [UInt8]?) -> MessageWriter {
        var message = MessageWriter()
        message.text(subject)
        message.optional(record) { $0.bytes($1) }
        guard case .explain(let question) = self else {
            message.bool(false)
            return message
        }
        message.bool(true)
        message.text(question.campaign)
        for text in [question.trigger, question.region, question.channel] { message.optional(text) { $0.text($1) } }
        message.instant(question.time)
        message.value(.map(question.attributes))
        return message
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        guard try reader.bool() else {
            self = .loaded
            return
        }
        func optionalText() throws(MessageReader.Nonsense) -> String? {
            try reader.optional { reader throws(MessageReader.Nonsense) in try reader.text() }
        }
        self = .explain(
            Explanation.Question(
                campaign: try reader.text(), trigger: try optionalText(), region: try optionalText(),
                channel: try optionalText(), time: try reader.instant(), attributes: try reader.fields()))
    }

    /// What a process does that was forked for a question.
    static func answer(_ settings: [UInt8], to socket: FrameSocket, by loaded: Workspace.Loaded) {
        var hello = MessageWriter()
        hello.number(getpid())
        guard socket.send(hello) else { return }
        var message = MessageWriter()
        do {
            var reader = MessageReader(settings)
            let subject = try reader.text()
            let record = try reader.optional { reader throws(MessageReader.Nonsense) in Array(try reader.slice()) }
            let answer = try RecordQuestion(&reader).answer(about: subject, record, by: loaded)
            message.bool(false)
            message.value(answer)
        } catch {
            message.bool(true)
            message.text("\(error)")
        }
        _ = socket.send(message)
    }
}
