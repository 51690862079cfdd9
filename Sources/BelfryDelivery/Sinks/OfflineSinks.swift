import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryRuntime
import BelfryStore

/// How the sinks of a configuration are doing, by what the journal of a store says. A run may be writing to it.
///
/// - Throws: `NoJournal`, `JournalError`.
public func sinkStatuses(of configuration: Configuration, in store: StoreLocation) throws -> [SinkStatus] {
    let journal = try store.journal
    let reader = try JournalReader(journal)
    var (decisions, oldest): (UInt64, UInt64?) = (0, nil)
    var items: [UInt64] = []
    while let entry = try reader.next() {
        oldest = oldest ?? entry.number
        decisions = entry.decisionsBefore + UInt64(entry.decisions)
        if configuration.forward != nil { items += ForwardItems.items(of: entry).map(\.number) }
    }
    let record = { (id: String) in reader.values[SinkRecord.key(of: id)].flatMap { SinkRecord($0) } }
    let sinks = configuration.sinks.map { sink in
        let known = record(sink.id) ?? SinkRecord(reached: decisions)
        var status = SinkStatus(sink, known, decisions: decisions)
        status.check(known, oldest: oldest ?? 0)
        // Where they cannot be read, the service says so.
        status.waiting += (try? DeadLetters(of: sink.id, beside: journal).resent.count) ?? 0
        return status
    }
    if configuration.forward == nil { return sinks }
    let taken = ForwardQueue.taken(reader.values)
    let waiting = items.count { $0 > taken }
    return sinks + [SinkStatus(forwarding: record(Forwarder.id) ?? SinkRecord(), waiting: waiting)]
}

/// What a sink was not given: at, why and decision of each.
///
/// - Throws: `NoJournal`, `StoreError`, `JournalError`.
public func deadLetters(of sink: String, in store: StoreLocation) throws -> [Fields] {
    try DeadLetters(of: sink, beside: store.journal).all
}

/// Those of a journal that this process has open.
public func deadLetters(of sink: String, in journal: Journal) throws -> [Fields] {
    try DeadLetters(of: sink, beside: journal.location).all
}

/// Does what an operator wants with one sink while nothing is decided. What is to be sent is sent.
///
/// - Returns: how many decisions that was about; nil if there is no such sink.
public func act(
    _ action: SinkAction, on id: String, _ settings: SinkSettings, in journal: Journal,
    say: @escaping @Sendable (String) -> Void
) throws -> Int? {
    if id == Forwarder.id, settings.forward != nil { return try actOnForward(action, in: journal) }
    guard let settings = settings.only(id) else { return nil }
    if action == .resend {
        var count = 0
        // What was given up comes before what waits.
        try Sinks(settings, journal: journal, say: say) { count = try $0.act(action) }.finish()
        return count
    }
    let sink = settings.sinks[0]
    var state = try SinkState(
        sink, SinkFilter(sink, DecisionProperties(settings.campaigns)), journal,
        SinkSurroundings(clock: { .zero }, now: { .wallClock }, say: say))
    // Nothing is delivered, so that there is nothing to sync.
    return try state.act(action) {}
}

private func actOnForward(_ action: SinkAction, in journal: Journal) throws -> Int {
    let key = SinkRecord.key(of: Forwarder.id)
    var record = journal.value(key).flatMap { SinkRecord($0) } ?? SinkRecord()
    try record.act(onForward: action)
    try ForwardQueue(journal).note([key: record.bytes])
    return 0
}
