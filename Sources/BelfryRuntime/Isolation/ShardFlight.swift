import BelfryCore
import BelfryEngine

/// What a shard's process is given at once: a task, or, when the process died of it, a part of one; or what makes up for a process that died.
struct ShardFlight {
    let task: ShardTask
    /// The places of the lines that are the shard's, or of some of them.
    private let lines: [Int]
    /// The piece of the task that the first of them is.
    private let begin: Int
    /// Which pieces.
    var pieces: Range<Int>
    /// Whether it is the first part of its task.
    var isFirst = true
    /// Calls that are not to be made: the process died or was ended in them.
    var faults: [PlannedFault] = []
    /// Calls in which a stranger ended the process: the second time it is taken for a crash.
    var killed: [CallNote] = []
    /// How often the process died and it is not known of what.
    var unexplained = 0
    /// Whether a look is taken behind each call, because the process died outside of them.
    var isCareful = false
    /// The entry that is left out, because no call is to blame.
    var suspicion: PlannedFault?
    /// Whether a call was found already, and is not to be believed if there is another one.
    var isDoubtful: Bool { !faults.isEmpty && pieces.count > 1 }
    /// Whether nothing may have run in its process before.
    var wantsFreshProcess = false
    /// Whether the process has to save records with it, and whether it was asked to.
    private(set) var mustSave: Bool
    var saves = false
    /// Whether it makes up for what another process had answered: the answer is not needed.
    private(set) var isReplay = false
    /// How records changed in that process, if that is known.
    private var changes: [UInt8] = []
    let gathering: Gathering

    /// What all parts of a task come to.
    final class Gathering {
        var answer = ShardAnswer()
        let target: Monitor<ShardAnswer?>
        var parts = 1
        /// Calls that are not made however often it is decided again: of entries that are quarantined from some piece on, or found before.
        var settled: [PlannedFault] = []
        /// The calls in which processes died.
        fileprivate var deaths: Set<CallPlace> = []

        init(_ target: Monitor<ShardAnswer?>) { self.target = target }
    }

    init(_ task: ShardTask, of shard: Int, _ target: Monitor<ShardAnswer?>) {
        var lines: [Int] = []
        if case .lines(let batch) = task.work { lines = batch.lines(of: shard) }
        self.init(task, lines, from: 0, target)
        mustSave = task.part.map { $0.begins || $0.limit > 0 } ?? false
        switch task.work {
        case .recent, .tick: mustSave = true
        default: break
        }
    }

    private init(_ task: ShardTask, _ lines: [Int], from begin: Int, _ target: Monitor<ShardAnswer?>) {
        (self.task, self.lines, self.begin, pieces) = (task, lines, begin, begin..<begin + lines.count)
        (gathering, mustSave) = (Gathering(target), false)
    }

    /// The same that a process was asked that died since; nil if it changed nothing.
    static func replaying(_ request: ShardRequest) -> ShardFlight? {
        var (task, lines, begin) = (ShardTask(unhandled: request.unhandled), [Int](), 0)
        if case .lines(let batch, let places, let first) = request.work {
            (lines, begin, task.work) = (Array(places), first, .lines(batch))
        }
        if lines.isEmpty, task.unhandled.isEmpty { return nil }
        var flight = ShardFlight(task, lines, from: begin, Monitor(nil))
        flight.gathering.settled = request.faults
        flight.isReplay = true
        return flight
    }

    /// How records changed in a process that died since.
    static func replaying(_ changes: [UInt8]) -> ShardFlight {
        var flight = ShardFlight(ShardTask(), [], from: 0, Monitor(nil))
        (flight.changes, flight.isReplay) = (changes, true)
        return flight
    }

    /// Nothing but to save.
    static func saving() -> ShardFlight {
        var flight = ShardFlight(ShardTask(), [], from: 0, Monitor(nil))
        flight.mustSave = true
        return flight
    }

    /// Which call of a task.
    fileprivate struct CallPlace: Hashable {
        let piece: UInt32
        let ordinal: UInt32
    }

    /// Notes that a process died in a call.
    ///
    /// - Returns: whether that was not known yet.
    func noteDeath(_ note: CallNote) -> Bool {
        gathering.deaths.insert(CallPlace(piece: note.piece, ordinal: note.ordinal)).inserted
    }

    /// Has an entry not be called for what is still to be decided.
    ///
    /// - Parameter note: the last call that is not meant; nil: all are.
    func exclude(_ entry: Int, after note: CallNote? = nil) {
        // It was called for what left.
        if isReplay { return }
        if gathering.settled.contains(where: { $0.entry == entry && $0.isLasting }) { return }
        gathering.settled.append(.quarantined(entry, after: note))
    }

    /// Whether the process has nothing to do with it.
    func isLocal(_ place: ShardPlace) -> Bool {
        switch task.work {
        case .nothing: unhandled(place).isEmpty && changes.isEmpty
        case .lines: lines.isEmpty && unhandled(place).isEmpty
        case .recent: true
        default: false
        }
    }

    func unhandled(_ place: ShardPlace) -> [ActionCall] {
        isFirst ? task.unhandled.filter { $0.shard(of: place.count) == place.index } : []
    }

    func request(_ place: ShardPlace, capacity: Int) -> ShardRequest {
        let faults = faults + (suspicion.map { [$0] } ?? []) + gathering.settled
        var request = ShardRequest(unhandled: unhandled(place), faults: faults, capacity: capacity)
        (request.isCareful, request.saves) = (isCareful, saves)
        switch task.work {
        case .nothing: if !changes.isEmpty { request.work = .changes(changes) }
        case .makeRoom, .forget, .recent: break
        case .lines(let batch):
            let places = pieces.lowerBound - begin..<pieces.upperBound - begin
            request.work = .lines(batch, lines[places], from: pieces.lowerBound)
        case .bound(let time, let limit): request.work = .bound(time, atMost: limit)
        case .tick(let time, let bound): request.work = .tick(time, bound: bound)
        }
        return request
    }

    /// Whether there is a piece for each of the lines that were given, and for each timer that fired.
    func isAnswered(by answer: ShardAnswer) -> Bool {
        switch task.work {
        case .lines: answer.pieces.count == pieces.count
        case .tick: answer.timers.count == answer.pieces.count
        default: answer.pieces.isEmpty
        }
    }

    /// Whether it fires timers, or looks for them.
    var needsTimers: Bool {
        switch task.work {
        case .bound, .tick: true
        default: false
        }
    }

    /// Parts of it, in order; nothing of what was found is believed.
    func split(at places: [Int]) -> [ShardFlight] {
        let ends = ([pieces.lowerBound] + places + [pieces.upperBound])
        let ranges = zip(ends, ends.dropFirst()).map { $0..<$1 }.filter { !$0.isEmpty }
        gathering.parts += ranges.count - 1
        return ranges.map { range in
            var part = self
            (part.pieces, part.faults, part.killed, part.unexplained) = (range, [], [], 0)
            (part.isCareful, part.suspicion) = (false, nil)
            part.isFirst = isFirst && range.lowerBound == pieces.lowerBound
            part.wantsFreshProcess = range.count == 1
            return part
        }
    }
}
