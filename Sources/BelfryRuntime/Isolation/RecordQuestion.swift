import BelfryCore
import BelfryEngine
import BelfryModel
import Glibc

/// A question about what a record holds, which the chain has to be asked for.
public enum RecordQuestion: Sendable {
    case explain(Explanation.Question)
    /// Which triggers are loaded, and the nearest ones that are not.
    case loaded
    /// The same, with what each waits for and how far it is.
    case watched
}

/// Why a question has no answer.
public struct QuestionRefusal: Error, CustomStringConvertible {
    public let what: String
    public private(set) var why: String?
    public private(set) var expected: String?
    public private(set) var fix: String?
    /// Whether what it asks about is not there; else a plugin did not survive it.
    public private(set) var isWrongUse = false

    public var description: String {
        ([what] + [why.map { "  why: \($0)" }, fix.map { "  fix: \($0)" }].compactMap(\.self)).joined(separator: "\n")
    }
}

extension DecisionSource {
    /// Asks the plugins on a copy of a record; the shards go on meanwhile. In processes, a call that one of them does not survive answers
    /// fault.
    ///
    /// - Parameters:
    ///   - record: as it is stored; nil for a subject that nothing is known of.
    ///   - quarantined: entries that are not to be called.
    ///   - isAlone: whether this process does nothing else: then a plugin that ends it is told of in a sentence.
    /// - Returns: the answer in JSON.
    /// - Throws: `QuestionRefusal` if there is no such candidate, or a plugin did not survive the question; `RecordFailure`.
    public func answer(
        _ question: RecordQuestion, about subject: String, _ record: [UInt8]?, quarantined: [String] = [],
        isAlone: Bool = false
    ) throws -> Value {
        switch self {
        case .threads(let loaded):
            try question.answer(about: subject, record, by: loaded) { engine in
                let chain = loaded.catalog.configuration.chain.map(\.id)
                engine.beginPiece(0, PlannedFault.quarantined(quarantined, of: chain))
                return isAlone ? try engine.tellOfItsEnd(subject) : nil
            }
        case .processes(let zygote): try QuestionProcess(zygote, question, subject, record, quarantined).answer()
        }
    }
}

extension RecordQuestion {
    /// - Parameter prepare: gets the engine before it is asked; what it gives is kept until that has answered.
    fileprivate func answer(
        about subject: String, _ record: [UInt8]?, by loaded: Workspace.Loaded, _ prepare: (Engine) throws -> CallSite?
    ) throws -> Value {
        // Entries of a chain are for one thread.
        let former = loaded.catalog
        let catalog = try Catalog(former.configuration, providers: loaded.providers, services: former.services)
        let record =
            if let record { try SubjectRecord(subject: subject, reading: record) } else {
                SubjectRecord(subject: subject)
            }
        switch self {
        case .loaded: return .list(catalog.loaded(for: record).map(\.value))
        case .watched: return .list(catalog.loaded(for: record).map(\.wholeValue))
        case .explain(let question):
            let engine = Engine(catalog)
            let site = try prepare(engine)
            defer { withExtendedLifetime(site) {} }
            do {
                return try engine.explain(question, record).value
            } catch let error as UnansweredQuestion {
                throw QuestionRefusal(error)
            }
        }
    }
}

extension Engine {
    fileprivate func tellOfItsEnd(_ subject: String) throws -> CallSite {
        let site = CallSite(catalog)
        noteCalls(at: site.note)
        site.begin(subject, "a question")
        site.enter()
        try CallSite.watch([site])
        return site
    }
}

// MARK: In a process

/// Asks a question in processes that are forked for it, until one survives it: a call that one of them died in is not made again.
private struct QuestionProcess {
    private let zygote: Zygote
    private let question: RecordQuestion
    private let (subject, record): (String, [UInt8]?)
    private var faults: [PlannedFault] = []
    /// How often one was ended from outside.
    private var kills = 0

    /// A plugin that hangs outside of calls is not waited for longer.
    private static let patience = Duration.seconds(10)
    /// An entry that does it more often is not called at all.
    private static let mostFaults = 8
    private static let mostKills = 3

    init(
        _ zygote: Zygote, _ question: RecordQuestion, _ subject: String, _ record: [UInt8]?, _ quarantined: [String]
    ) {
        (self.zygote, self.question, self.subject, self.record) = (zygote, question, subject, record)
        faults = PlannedFault.quarantined(quarantined, of: zygote.entries)
    }

    func answer() throws -> Value {
        var attempt = self
        while true {
            if let answer = try attempt.once() { return answer }
        }
    }

    /// - Returns: nil if there is to be another attempt.
    private mutating func once() throws -> Value? {
        let settings = question.message(about: subject, record, faults).array
        let ((socket, note), process) = try zygote.fork(.question, settings, over: Self.channel) {
            $0.socket.hearNumber()
        }
        defer { socket.close() }
        let (answer, excess) = follow(socket, process, note)
        if answer == nil { kill(process, SIGKILL) }
        let end = ProcessEnd.wait(for: process) ?? .exit(0)
        guard let answer else {
            try learn(
                ShardDeath(
                    end: end, note: note.pointer.pointee, endedFor: excess, limits: zygote.configuration.limits))
            return nil
        }
        var reader = MessageReader(answer.bytes)
        if try reader.bool() { throw try QuestionRefusal(&reader) }
        return try reader.value()
    }

    private static func channel() throws -> ((socket: FrameSocket, note: SharedNote), other: [Int32]) {
        let (note, descriptor) = try SharedNote.make()
        let (socket, other) = try FrameSocket.pair()
        return ((socket, note), other + [descriptor])
    }

    /// Waits for the answer, and looks at what the process does meanwhile.
    ///
    /// - Returns: also what there was too much of.
    private func follow(
        _ socket: FrameSocket, _ process: pid_t, _ note: SharedNote
    ) -> (FrameSocket.Frame?, CallWatch.Excess?) {
        var watch = CallWatch(.process(process), zygote.configuration.limits)
        let deadline = ContinuousClock.now + .milliseconds(Self.patience.milliseconds)
        var polled = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, CallWatch.every) <= 0 {
            if let excess = watch.look(note.pointer.pointee) { return (nil, excess) }
            if note.pointer.pointee.current == nil, deadline < .now {
                return (nil, CallWatch.Excess(cause: .timeout))
            }
        }
        return (socket.receive(within: Self.patience), nil)
    }

    private mutating func learn(_ death: ShardDeath) throws {
        if death.isByStranger, kills < Self.mostKills {
            kills += 1
            return
        }
        guard let fault = death.fault else { throw QuestionRefusal.died(death.endedFor == nil ? death.end : .overran) }
        let isTooMuch = faults.count { $0.entry == fault.entry } >= Self.mostFaults
        guard !isTooMuch || !faults.contains(where: { $0.entry == fault.entry && $0.ordinal == nil }) else {
            throw QuestionRefusal.died(death.end)
        }
        faults.append(
            isTooMuch
                ? PlannedFault(piece: nil, ordinal: nil, entry: fault.entry, cause: fault.cause, message: fault.message)
                : fault)
    }
}

extension QuestionRefusal {
    fileprivate init(_ question: UnansweredQuestion) {
        what = question.what
        (why, expected, fix) = (question.why, question.expected, question.fix)
        isWrongUse = true
    }

    fileprivate static func died(_ end: ProcessEnd) -> QuestionRefusal {
        QuestionRefusal(
            what: "the process that asks the plugins \(end.words), most likely because of a plugin",
            fix: "'belfry plugins check FILE' looks at a plugin alone")
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        func optionalText() throws(MessageReader.Nonsense) -> String? {
            try reader.optional { reader throws(MessageReader.Nonsense) in try reader.text() }
        }
        what = try reader.text()
        (why, expected, fix) = (try optionalText(), try optionalText(), try optionalText())
        isWrongUse = try reader.bool()
    }

    fileprivate func write(to message: inout MessageWriter) {
        message.text(what)
        for text in [why, expected, fix] { message.optional(text) { $0.text($1) } }
        message.bool(isWrongUse)
    }
}

extension RecordQuestion {
    private var isWatched: Bool { if case .watched = self { true } else { false } }

    fileprivate func message(about subject: String, _ record: [UInt8]?, _ faults: [PlannedFault]) -> MessageWriter {
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
        for text in [question.trigger, question.region, question.channel] { message.optional(text) { $0.text($1) } }
        message.instant(question.time)
        message.value(.map(question.attributes))
        return message
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        guard try reader.bool() else {
            self = try reader.bool() ? .watched : .loaded
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
    ///
    /// - Parameter note: shared with the host.
    static func answer(
        _ settings: [UInt8], to socket: FrameSocket, _ note: SharedNote, by loaded: Workspace.Loaded
    ) {
        guard socket.sayNumber() else { return }
        var message = MessageWriter()
        do {
            var reader = MessageReader(settings)
            let faults = try reader.list { reader throws(MessageReader.Nonsense) in try reader.fault() }
            let subject = try reader.text()
            let record = try reader.optional { reader throws(MessageReader.Nonsense) in Array(try reader.slice()) }
            let answer = try RecordQuestion(&reader).answer(about: subject, record, by: loaded) { engine in
                engine.noteCalls(at: note.pointer)
                engine.beginPiece(0, faults)
                return nil
            }
            message.bool(false)
            message.value(answer)
        } catch {
            message.bool(true)
            (error as? QuestionRefusal ?? QuestionRefusal(what: "\(error)")).write(to: &message)
        }
        _ = socket.send(message)
    }
}
