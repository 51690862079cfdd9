import BelfryEngine

// How the process ends, and what is made of that.

extension ShardSupervisor {
    /// Behind a death so many tasks are saved each, since another one may follow soon.
    private static let mostCautious = 32

    /// Lets go of the process, whatever it is at.
    func endProcess() {
        if process == nil { return }
        _ = process?.remove()
        forgetProcess()
    }

    private func forgetProcess() {
        (process, sent) = (nil, 0)
        unsaved.processEnded()
        committed.processEnded()
    }

    /// The process has died, or hung up: another one does its work, without the call that it died of.
    func replaceProcess() throws {
        guard let end = process?.remove() else { return }
        try takeWhatIsComplete()
        try replaceProcess(endedWith: end)
    }

    /// The process is not to go on, or has died.
    func replaceProcess(endedWith end: ProcessEnd) throws {
        _ = process?.remove()
        guard let process else { return }
        let (note, wasAtWork) = (process.channel.note.pointee, sent > 0)
        forgetProcess()
        guard wasAtWork, !flights.isEmpty else { return }
        cautious = Self.mostCautious
        let death = ShardDeath(
            end: end, note: note, endedFor: process.endedFor, limits: zygote.configuration.limits)
        noteFault(death)
        flights.replaceSubrange(0..<1, with: try flights[0].after(death, zygote))
    }

    /// Takes the answers that the process has given.
    private func takeWhatIsComplete() throws {
        while sent > 0, let bell = process?.channel.heard() { if bell.kind == .answer { try take(bell) } }
    }

    /// An entry that did it too often is not called from the next piece on.
    private func noteFault(_ death: ShardDeath) {
        guard let quarantine = settings.quarantine, let fault = death.fault, fault.entry < zygote.entries.count,
            !death.isByStranger, flights[0].noteDeath(death.note),
            quarantine.fault(of: zygote.entries[fault.entry], fault.message)
        else { return }
        flights[0].exclude(fault.entry, after: death.note)
        for flight in flights.dropFirst() where flight.gathering !== flights[0].gathering {
            flight.exclude(fault.entry)
        }
    }
}
