import BelfryJournal
import BelfryModel
import BelfryRuntime

/// Tells of decisions that wait for sinks which the configuration has no more: nothing else would, and they never arrive there.
///
/// Warns once of each such sink. The place that it had come to stays in the journal: a sink that is configured again goes on there.
///
/// - Parameter ids: the sinks that are at work.
public func tellOfRemovedSinks(
    besides ids: Set<String>, in journal: Journal, say: @Sendable (String) -> Void
) {
    var entry = JournalEntry(writtenAt: .wallClock)
    for (id, record) in SinkRecord.all(in: journal.values) where !record.isRemoved && !ids.contains(id) {
        let isForward = id == Forwarder.id
        let waiting = isForward ? (try? ForwardQueue(journal).count) ?? 0 : record.waiting(of: journal.decisions)
        if waiting > 0 { say(isForward ? warning(ofForwarding: waiting) : warning(of: waiting, for: id)) }
        var record = record
        record.isRemoved = true
        // Also where nothing waits: what is decided from now on is not for this one.
        entry.values[SinkRecord.key(of: id)] = record.bytes
    }
    if entry.values.isEmpty { return }
    do { try journal.append(entry) } catch {
        say("warning: which sinks were told of cannot be noted: \(error)")
    }
}

private func warning(ofForwarding waiting: Int) -> String {
    """
    warning: \(waiting) items wait to be forwarded, and the configuration does not have 'forward' any more
      effect: they are not sent; the journal keeps them as long as what a sink does not take
      fix: if they are to arrive, configure 'forward' again before that: it goes on where it was
    """
}

private func warning(of waiting: Int, for id: String) -> String {
    """
    warning: \(waiting) decisions wait for sink '\(id)', which the configuration does not have any more
      effect: they are not delivered; the journal keeps them no longer than others
      fix: if they are to arrive, configure '\(id)' again soon: it goes on where it was
    """
}
