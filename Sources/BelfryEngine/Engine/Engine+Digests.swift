import BelfryModel

extension Engine {
    /// Puts the candidate of the scope into the digest of the entry that collects it.
    @inline(never)
    func collect(_ answer: UnsafePointer<Answer>, _ moment: borrowing Moment, into effects: inout Effects) {
        let candidate = scope.candidate
        // A collection without `until` is a fault.
        let collection = SubjectRecord.Collection(
            entry: answer.pointee.entry.entry.id, counter: answer.pointee.counter,
            item: Decision.Digest.Item(cause: moment.cause, data: candidate.asked?.eventData, time: moment.now),
            origin: candidate.origin, channel: candidate.channel, asked: candidate.asked ?? SubjectRecord.Asked(),
            closes: answer.pointee.said.until!, limit: scope.itemsKept(by: answer))
        let (count, filled) = moment.record.collect(collection)
        if let filled { self.filled = FilledDigest(filled) }
        scope.refreshSubject()
        effects.add(
            .collected(
                Decision.Collected(
                    origin: collection.origin, strategy: collection.entry, counter: collection.counter, items: count,
                    until: collection.closes)), moment)
    }

    /// Closes the digest that the last candidate filled, within its signal.
    @inline(never)
    func closeFilled(_ moment: borrowing Moment, into effects: inout Effects) {
        guard let digest = filled else { return }
        filled = nil
        fire(digest.timer, moment.lent, into: &effects)
    }

    /// Opens the digests that a candidate leads which was created, or withheld.
    @inline(never)
    func lead(_ moment: borrowing Moment) {
        let origin = scope.candidate.origin
        for (answer, closes) in scope.leads where closes > moment.now {
            moment.record.lead(
                origin, by: answer.entry.entry.id, answer.counter, at: moment.now, until: closes)
        }
        scope.refreshSubject()
    }

    /// Notes that what would have been created is not shown.
    @inline(never)
    func withhold(_ outcome: Outcome, _ moment: borrowing Moment, into effects: inout Effects) {
        effects.add(
            .withheld(
                Decision.Withheld(
                    origin: scope.candidate.origin, reasons: outcome.reasons(scope.answers),
                    digest: scope.candidate.digest)), moment)
    }
}

/// The timer of a digest that closes within its signal. An object, so that every decision can look cheaply whether there is one.
final class FilledDigest {
    let timer: SubjectRecord.Timer

    init(_ timer: SubjectRecord.Timer) { self.timer = timer }
}

extension Candidate {
    /// What it stands for at the close of a digest; nil for anything else.
    var digest: Decision.Digest? { asked?.digest?.digest }
}
