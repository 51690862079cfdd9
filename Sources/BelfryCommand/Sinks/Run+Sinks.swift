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
            let effect =
                isDurable
                ? "they are in the journal, and the next run goes on with them"
                : "they are lost: the store is in memory\n  fix: configure a store that lasts, such as 'store: sqlite:belfry.db'"
            let why = sink.why ?? (sink.state == .paused ? "it is paused" : "the run ended before")
            Console.warn(
                "\(sink.waiting) decisions were not delivered to sink '\(sink.id)'\n  why: \(why)\n  effect: \(effect)")
        }
        return forwarding
    }
}
