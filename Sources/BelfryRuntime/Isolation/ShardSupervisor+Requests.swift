import BelfryModel

// What goes to the process.

extension ShardSupervisor {
    /// How many requests lie with the process: the one that it decides, and the next.
    private static let ahead = 2

    /// Hands over what can be.
    func send() throws {
        while sent < min(flights.count, Self.ahead) {
            let flight = flights[sent]
            if flight.isLocal(place) || wantsTimers(flight) || wantsFreshProcess(flight) {
                // What was sent is answered first.
                guard sent == 0 else { return }
            }
            if flight.isLocal(place), !flight.mustSave || unsaved.isSaved {
                try finishFirst()
            } else if process == nil {
                try beginAgain()
            } else if wantsTimers(flight) || wantsFreshProcess(flight), !unsaved.isSaved {
                flights.insert(.saving(), at: 0)
            } else if wantsFreshProcess(flight) {
                endProcess()
            } else {
                flights[sent].saves = saves(flight)
                try send(flights[sent])
                sent += 1
            }
        }
    }

    /// Whether the process is to save with it.
    private func saves(_ flight: ShardFlight) -> Bool {
        if flight.mustSave || unsaved.isSaveDue || (process?.records ?? 0) > capacity { return true }
        if flight.isReplay { return !flights.dropFirst(sent + 1).contains(where: \.isReplay) }
        defer { cautious = max(0, cautious - 1) }
        return cautious > 0
    }

    /// Forks a process, and has it first make up for what the last one had not saved.
    private func beginAgain() throws {
        process = try begin()
        flights.insert(contentsOf: unsaved.takeReplays(), at: 0)
    }

    /// Whether it needs timers that the process is not told of, as there are in the records that were saved.
    private func wantsTimers(_ flight: ShardFlight) -> Bool { flight.needsTimers && process?.knowsTimers == false }

    private func wantsFreshProcess(_ flight: ShardFlight) -> Bool {
        guard let process else { return false }
        return (flight.wantsFreshProcess && process.requests > 0) || (process.isLarge && !flight.isLocal(place))
    }

    private func send(_ flight: ShardFlight) throws {
        var request = flight.request(place, capacity: capacity)
        if flight.needsTimers, !process!.knowsTimers {
            request.timers = try committed.timers(storedTimers) { isMine(stableHash($0)) }
            process!.knowsTimers = true
        }
        unsaved.add(request, size: try process!.send(request))
    }
}
