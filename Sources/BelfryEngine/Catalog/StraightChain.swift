import BelfryModel
import CBelfry

/// A chain of which it is known beforehand who is asked, and under which counters: strategies without conditions, none of which may
/// end the asking, that count by what every candidate of a trigger has. Most chains are.
final class StraightChain: @unchecked Sendable {
    // Unchecked: written once, before anybody else sees them.

    /// Those that are asked.
    let steps: UnsafeBufferPointer<ChainStep>
    /// What they count by, each once; a step says which by its place here.
    let counters: [Counter]

    enum Counter: Hashable {
        case subject, campaign, trigger
        case group(UnsafeMutableRawPointer)
    }

    /// Nil if it is not straight.
    init?(_ list: [ChainStep]) {
        var asked = list.filter { $0.absence == nil }
        var counters: [Counter] = []
        for index in asked.indices {
            guard let counter = asked[index].straightCounter else { return nil }
            let place = counters.firstIndex(of: counter) ?? counters.count
            if place == counters.count { counters.append(counter) }
            guard let short = UInt8(exactly: place) else { return nil }
            asked[index].place = short
        }
        self.counters = counters
        let places = UnsafeMutableBufferPointer<ChainStep>.allocate(capacity: max(1, asked.count))
        _ = places.initialize(from: asked)
        steps = UnsafeBufferPointer(rebasing: places[..<asked.count])
    }

    deinit { steps.deallocate() }
}

extension ChainStep {
    /// Nil if it does not fit into a straight chain.
    fileprivate var straightCounter: StraightChain.Counter? {
        guard strategy != nil, !isConditional, control != .sufficient else { return nil }
        return switch counter {
        case .subject: .subject
        case .campaign: .campaign
        case .trigger: .trigger
        case .group: group.map { .group($0.toOpaque()) }
        case .channel, .region, .data: nil
        }
    }
}
