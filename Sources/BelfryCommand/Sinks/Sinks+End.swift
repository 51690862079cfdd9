import BelfryDelivery
import BelfryRuntime

extension Sinks {
    /// Delivers what can be delivered now, and tells what could not.
    ///
    /// - Returns: what became of what was to be forwarded.
    func end(isDurable: Bool) -> ForwardStatus? {
        let (sinks, forwarding) = finish()
        if let leftovers = forwarding?.leftovers(isDurable: isDurable) { Console.warn(leftovers) }
        for sink in sinks where sink.waiting > 0 {
            let effect = sink.effect(isDurable: isDurable)
            let why = sink.why ?? (sink.state == .paused ? "it is paused" : "the run ended before")
            Console.warn(
                "\(sink.waiting) decisions were not delivered to sink '\(sink.id)'\n  why: \(why)\n  effect: \(effect)")
        }
        return forwarding
    }
}

extension SinkStatus {
    /// What becomes of what waits when a run ends.
    fileprivate func effect(isDurable: Bool) -> String {
        if !isDurable {
            return
                "they are lost: the store is in memory\n  fix: configure a store that lasts, such as 'store: sqlite:belfry.db'"
        }
        switch state {
        case .ready, .failing: return "they are in the journal, and the next run goes on with them"
        case .paused, .stopped, .broken:
            return "what the journal keeps of them waits for 'belfry sinks resume \(id)'"
        }
    }
}
