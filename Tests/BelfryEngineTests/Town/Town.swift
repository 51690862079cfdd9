@testable import BelfryEngine
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
    private let services: HostServices
    private var subjects: [String: Subject] = [:]

    /// A subject, and one who is stored and read back after each signal.
    private final class Subject {
        var record: SubjectRecord
        var twin: SubjectRecord

        init(_ name: String) {
            record = SubjectRecord(subject: name)
            twin = SubjectRecord(subject: name)
        }
    }

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
        services = BelfryEngineTests.services(log)
        engine = Engine(try catalog(configuration, strategies, services))
    }

    /// A new configuration for the same subjects, as after a restart.
    func reconfigure(_ strategies: [any Strategy.Type] = town, change: (inout Configuration) -> Void) throws {
        change(&configuration)
        engine = Engine(try catalog(configuration, strategies, services))
        for (name, subject) in subjects { subject.record = readBack(subject.record, of: name) }
    }

    /// Another engine of the same configuration.
    func newEngine() throws -> Engine { Engine(try catalog(configuration, town, services)) }

    /// How many instances of strategies were made.
    var instancesMade: Int { log.count.withLock { $0 } }

    private func subject(_ name: String) -> Subject {
        if let subject = subjects[name] { return subject }
        let subject = Subject(name)
        subjects[name] = subject
        return subject
    }

    /// The record of a subject as it would be stored.
    func record(of name: String = "ana") -> SubjectRecord {
        let bytes = subject(name).record.stored(services.states)
        return try! SubjectRecord(subject: name, reading: bytes)  // what is stored can be read
    }

    /// As when a process ends and another begins.
    private func readBack(_ record: borrowing SubjectRecord, of name: String) -> SubjectRecord {
        do throws(RecordDamage) {
            return try SubjectRecord(subject: name, reading: record.stored(services.states), services.states)
        } catch {
            Issue.record("the record cannot be read back: \(error.reason)")
            return record.copy()
        }
    }

    /// Why the signal would be rejected.
    func fault(
        _ event: Signal.Event, at time: String, id: String? = nil, channel: String? = nil, as name: String = "ana"
    ) -> SignalFault? {
        let signal = signal(event, at: time, id: id, channel: channel, as: name)
        guard case .requested(let request) = event else { return engine.fault(of: signal, subject(name).record) }
        do throws(SignalFault) {
            _ = try engine.wanted(by: request)
            return nil
        } catch {
            return error
        }
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
        var progress = Engine.Progress()
        do throws(SignalFault) {
            try both(subject, sourceLocation) { record, effects throws(SignalFault) in
                progress = try engine.decide(signal, on: &record, passed: .distantPast, into: &effects)
            }
        } catch {
            Issue.record("it was rejected: \(error.message)", sourceLocation: sourceLocation)
            return ["rejected: \(error.code.rawValue)"]
        }
        if progress.isDuplicate { duplicates += 1 }
        if progress.isLate { late += 1 }
        return decisions.brief
    }

    /// Time passes.
    @discardableResult
    func wait(
        until time: String, as subject: String = "ana", sourceLocation: SourceLocation = #_sourceLocation
    ) -> [String] {
        both(subject, sourceLocation) { _ = engine.tick(&$0, to: Instant(clock: time), into: &$1) }
        return decisions.brief
    }

    /// Changes a record, and sees whether what a journal says of it leads there.
    private func watched<Failure: Error>(
        _ record: inout SubjectRecord, _ sourceLocation: SourceLocation,
        _ work: (inout SubjectRecord) throws(Failure) -> Void
    ) throws(Failure) {
        let watch = RecordWatch()
        var known = record.withContent { Array($0) }
        var difference = GrowingBuffer()
        watch.begin(record)
        defer {
            if watch.end(record, to: &difference) {
                let bytes = difference.bytes
                #expect(RecordDifference.apply(bytes.span.bytes, to: &known), sourceLocation: sourceLocation)
                if let due = RecordDifference.nextDue(after: bytes[...]) {
                    #expect(due == record.nextDue, sourceLocation: sourceLocation)
                }
            }
            // But for the end of the directory.
            let isKnown = record.withContent {
                $0[..<60].elementsEqual(known.prefix(60)) && $0[64...].elementsEqual(known.dropFirst(64))
            }
            #expect(isKnown, "a journal would say something else", sourceLocation: sourceLocation)
        }
        try work(&record)
    }

    private func both<Failure: Error>(
        _ name: String, _ sourceLocation: SourceLocation,
        _ work: (inout SubjectRecord, inout Effects) throws(Failure) -> Void
    ) throws(Failure) {
        let subject = subject(name)
        var effects = Effects()
        var twinEffects = Effects()
        effects.begin(name)
        twinEffects.begin(name)
        try watched(&subject.record, sourceLocation) { record throws(Failure) in try work(&record, &effects) }
        try work(&subject.twin, &twinEffects)
        #expect(
            twinEffects.decisions == effects.decisions, "after a restart it decides differently",
            sourceLocation: sourceLocation)
        subject.twin = readBack(subject.twin, of: name)
        #expect(twinEffects.outgoing == effects.outgoing, sourceLocation: sourceLocation)
        compareLines(effects, sourceLocation)
        decisions = effects.decisions
        outgoing = effects.outgoing
        warnings += effects.warnings
        ignored.merge(effects.ignored) { $0 + $1 }
    }

    /// A line that is put together from prepared pieces is the line of the decision told in full.
    private func compareLines(_ effects: borrowing Effects, _ sourceLocation: SourceLocation) {
        let source = engine.catalog.configuration.app
        for (index, decision) in effects.decisions.enumerated() {
            var quick = JSONWriter()
            var full = JSONWriter()
            let gap = effects.write(index, to: &quick, engine.catalog)
            let fullGap = decision.write(to: &full, source: source)
            let (line, expected) = (quick.takeBytes(), full.takeBytes())
            #expect(gap == fullGap, sourceLocation: sourceLocation)
            #expect(
                line == expected,
                "\(String(decoding: line, as: UTF8.self)) is not \(String(decoding: expected, as: UTF8.self))",
                sourceLocation: sourceLocation)
        }
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
        let state = states(of: subject).first { $0.entry == entry && $0.counter == counter }
        return state.map { $0.values["log"]?.text.split(separator: "\n").map(String.init) ?? [] }
    }

    /// All that strategies remember of a subject.
    func states(of subject: String = "ana") -> [SubjectRecord.State] { record(of: subject).states }

    /// The counters that an entry keeps state under.
    func counters(of entry: String, as subject: String = "ana") -> [String] {
        states(of: subject).filter { $0.entry == entry }.map { $0.counter ?? "the subject's" }
    }

    var current: [String] { record().current.map(\.notification) }
    var history: [String] { record().notifications.compactMap(\.notification) }
}

// MARK: Making it

/// Everything a town's plugins provide.
let town: [any Strategy.Type] = [Scripted.self, Echo.self, Choosy.self]

private func catalog(
    _ configuration: Configuration, _ strategies: [any Strategy.Type], _ services: HostServices
) throws(ConfigurationProblems) -> Catalog {
    var providers = Providers()
    for strategy in strategies { providers.add(strategyTable(strategy), plugin: "town") }
    providers.add(filterTable(Editor.self), plugin: "town")
    for type in actionTypes { providers.add(action(type), plugin: "town") }
    return try Catalog(configuration, providers: providers, services: services)
}

private func services(_ log: MadeCount) -> HostServices {
    HostServices(version: "1.0", zones: ZoneDirectory(folder: systemZoneFolder)) { message in
        if message.text == "made", message.plugin == "town" { log.count.withLock { $0 += 1 } }
    }
}

/// What is wrong with a configuration of the town, in sentences.
func problems(of strategies: [any Strategy.Type] = town, _ change: (inout Configuration) -> Void) -> [String] {
    var configuration = Configuration.town()
    change(&configuration)
    do throws(ConfigurationProblems) {
        _ = try catalog(configuration, strategies, services(MadeCount()))
        return []
    } catch {
        return error.problems.map(\.sentence)
    }
}

private final class MadeCount: Sendable {
    let count = Mutex(0)
}

private let actionTypes: [StaticString] = ["url", "openApp", "dial", "landingPage"]

/// An action that is never run: the engine only asks whether its type is provided.
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
