import BelfryEngine
import BelfryModel
import BelfryPlugin
import BelfryZones
import CBelfry
import Synchronization
import Testing

/// A small town: a configuration, its subjects, and a clock in the test's hand.
///
/// It treats signals as the run loop does. Every subject has a twin whose record is stored and read back after each signal;
/// both must decide the same, so each test also says that a restart changes nothing.
final class Town {
    private var engine: Engine
    private let log = MadeCount()
    private var configuration: Configuration
    private var records: [String: SubjectRecord] = [:]
    private var twins: [String: SubjectRecord] = [:]

    /// What the last signal, and the timers before it, decided.
    private(set) var decisions: [Decision] = []
    /// What the last signal, and the timers before it, left to forward.
    private(set) var outgoing: [Outgoing] = []
    private(set) var late = 0
    private(set) var duplicates = 0
    private(set) var ignored: [Effects.Ignored: Int] = [:]
    private(set) var warnings: [String] = []

    init(_ strategies: [any Strategy.Type] = town, change: (inout Configuration) -> Void = { _ in }) throws {
        configuration = .town()
        change(&configuration)
        engine = Engine(try catalog(configuration, strategies, log))
    }

    /// A new configuration for the same subjects, as after a restart.
    func reconfigure(_ strategies: [any Strategy.Type] = town, change: (inout Configuration) -> Void) throws {
        change(&configuration)
        engine = Engine(try catalog(configuration, strategies, log))
        for (subject, record) in records {
            records[subject] = try SubjectRecord(subject: subject, decoding: record.encoded(by: "1.0"))
        }
    }

    /// How many instances of strategies were made.
    var instancesMade: Int { log.count.withLock { $0 } }

    func record(of subject: String = "ana") -> SubjectRecord {
        if let record = records[subject] { return record }
        let record = SubjectRecord(subject: subject)
        records[subject] = record
        twins[subject] = SubjectRecord(subject: subject)
        return record
    }

    /// Why the signal would be rejected.
    func fault(
        _ event: Signal.Event, at time: String, id: String? = nil, as subject: String = "ana"
    ) -> SignalFault? {
        engine.check(signal(event, at: time, id: id, as: subject), record(of: subject))
    }

    /// Fires what is due, processes the signal, and returns what was decided, in short form.
    @discardableResult
    func send(
        _ event: Signal.Event, at time: String, id: String? = nil, source: String = "", channel: String? = nil,
        type: String? = nil, data: Value? = nil, as subject: String = "ana",
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        let signal = signal(
            event, at: time, id: id, source: source, channel: channel, type: type, data: data, as: subject)
        let record = record(of: subject)
        let fault = engine.check(signal, record)
        #expect(fault == nil, "it was rejected", sourceLocation: sourceLocation)
        guard fault == nil else { return ["rejected: \(fault!.code.rawValue)"] }
        if engine.isDuplicate(signal, record) {
            duplicates += 1
            return []
        }
        return both(subject, sourceLocation) { record in
            var effects = fireTimers(of: record, until: signal.time)
            let isLate = engine.process(signal, record, into: &effects)
            return (effects, isLate)
        }
    }

    /// Time passes.
    @discardableResult
    func wait(
        until time: String, as subject: String = "ana", sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        _ = record(of: subject)
        return both(subject, sourceLocation) { (fireTimers(of: $0, until: Instant(clock: time)), false) }
    }

    private func both(
        _ subject: String, _ sourceLocation: SourceLocation, _ work: (SubjectRecord) -> (Effects, isLate: Bool)
    ) -> [String] {
        let (effects, isLate) = work(records[subject]!)
        let (twinEffects, _) = work(twins[subject]!)
        #expect(
            twinEffects.decisions.brief == effects.decisions.brief, "after a restart it decides differently",
            sourceLocation: sourceLocation)
        do {
            twins[subject] = try SubjectRecord(subject: subject, decoding: twins[subject]!.encoded(by: "1.0"))
        } catch {
            Issue.record("the record cannot be read back: \(error.reason)", sourceLocation: sourceLocation)
        }
        #expect(twinEffects.outgoing == effects.outgoing, sourceLocation: sourceLocation)
        compareLines(effects, sourceLocation)
        decisions = effects.decisions
        outgoing = effects.outgoing
        warnings += effects.warnings
        ignored.merge(effects.ignored) { $0 + $1 }
        if isLate { late += 1 }
        return decisions.brief
    }

    /// A line that is put together from prepared pieces is the line of the decision told in full.
    private func compareLines(_ effects: Effects, _ sourceLocation: SourceLocation) {
        let source = engine.catalog.configuration.app
        for (index, decision) in effects.decisions.enumerated() {
            var quick = JSONWriter()
            var full = JSONWriter()
            let gap = effects.write(index, to: &quick, number: 7, source: source)
            let fullGap = decision.write(to: &full, id: "d-7", source: source)
            let (line, expected) = (quick.takeBytes(), full.takeBytes())
            #expect(gap == fullGap, sourceLocation: sourceLocation)
            #expect(
                line == expected,
                "\(String(decoding: line, as: UTF8.self)) is not \(String(decoding: expected, as: UTF8.self))",
                sourceLocation: sourceLocation)
        }
    }

    private func fireTimers(of record: SubjectRecord, until time: Instant) -> Effects {
        var effects = Effects()
        while let due = record.nextDue, due <= time { engine.fireNextTimer(of: record, into: &effects) }
        return effects
    }

    private func signal(
        _ event: Signal.Event, at time: String, id: String? = nil, source: String = "", channel: String? = nil,
        type: String? = nil, data: Value? = nil, as subject: String
    ) -> Signal {
        Signal(
            id: id, source: source, subject: subject, channel: channel, time: Instant(clock: time),
            cause: id ?? Instant(clock: time).clock,
            type: type ?? event.typeName, event: event, data: data)
    }
}

// MARK: What strategies remember

extension Town {
    /// What an entry was told under a counter, a line each; nil if it keeps no state.
    func told(_ entry: String, counter: String? = nil, as subject: String = "ana") -> [String]? {
        let slot = record(of: subject).slots.first { $0.entry == entry && $0.counter == counter }
        return slot.map { slot in
            slot.saved.values.first { $0.key == "log" }?.value.text.split(separator: "\n").map(String.init) ?? []
        }
    }

    /// The counters that an entry keeps state under.
    func counters(of entry: String, as subject: String = "ana") -> [String] {
        record(of: subject).slots.filter { $0.entry == entry }.map { $0.counter ?? "the subject's" }
    }

    var current: [String] { record().current.map(\.notification) }
    var history: [String] { record().notifications.compactMap(\.notification) }
}

// MARK: Making it

/// Everything a town's plugins provide.
let town: [any Strategy.Type] = [Scripted.self, Echo.self, Choosy.self]

private func catalog(
    _ configuration: Configuration, _ strategies: [any Strategy.Type], _ log: MadeCount
) throws(ConfigurationProblems) -> Catalog {
    var providers = Providers()
    for strategy in strategies { providers.add(strategyTable(strategy), plugin: "town") }
    providers.add(filterTable(Editor.self), plugin: "town")
    for type in actionTypes { providers.add(action(type), plugin: "town") }
    let services = HostServices(version: "1.0", zones: ZoneDirectory(folder: systemZoneFolder)) { _, message in
        if message == "made" { log.count.withLock { $0 += 1 } }
    }
    return try Catalog(configuration, providers: providers, services: services)
}

/// What is wrong with a configuration of the town, in sentences.
func problems(_ change: (inout Configuration) -> Void) -> [String] {
    var configuration = Configuration.town()
    change(&configuration)
    do throws(ConfigurationProblems) {
        _ = try catalog(configuration, town, MadeCount())
        return []
    } catch {
        return error.problems.map(\.sentence)
    }
}

private final class MadeCount: Sendable {
    let count = Mutex(0)
}

private let actionTypes: [StaticString] = ["url", "openApp", "dial", "landingPage"]

/// An action that is never run: the engine only asks whether somebody provides its type.
private func action(_ type: StaticString) -> UnsafePointer<belfry_action> {
    let action = UnsafeMutablePointer<belfry_action>.allocate(capacity: 1)  // for ever, as a plugin's tables are
    action.initialize(to: belfry_action())
    action.pointee.type = text(type)
    action.pointee.signature = text("(action)")
    return UnsafePointer(action)
}

private func text(_ text: StaticString) -> belfry_text {
    belfry_text(
        bytes: UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self),
        length: UInt64(text.utf8CodeUnitCount))
}
