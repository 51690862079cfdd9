import BelfryCore
import BelfryEngine
import BelfryModel
import Glibc

/// Asks a question in processes that are forked for it, until one survives it: a call that one of them died in is not made again.
struct QuestionProcess {
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

extension RecordQuestion {
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
