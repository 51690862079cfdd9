import BelfryConfiguration

/// The replica that decides, as one that stands by knows it.
struct DecidingReplica: Sendable {
    /// As it says it is reached; empty if it has not said so.
    let address: String
    /// When the lease was seen to be its own.
    let seen = ContinuousClock.now

    /// After so long it may be gone, and this replica be bringing up the store for itself.
    private static let memory = Duration.seconds(3)

    var isOutdated: Bool { ContinuousClock.now - seen > Self.memory }

    /// Why there is no place to pass on to, for the one that looks after the replicas.
    ///
    /// - Parameter own: where this replica is reached.
    func obstacle(besides own: SocketAddressText?) -> String {
        if address.isEmpty { return "the one that decides has not said yet where it is reached" }
        let place = "the one that decides says that it is reached at '\(address)'"
        if isOutdated { return "\(place), and has not been seen for \(Self.memory)" }
        switch SocketAddressText(address) {
        case nil: return "\(place), which is no address: give it --advertise HOST:PORT"
        case .unix: return "\(place), and nothing is passed on to a unix socket: give it --advertise HOST:PORT"
        case own: return "\(place), as this one does: give each replica an --advertise of its own"
        case .network: return "\(place), and cannot be reached yet"
        }
    }

    /// Where connections are passed on to; nil if that is not known any more, or not there.
    ///
    /// - Parameter own: where this replica is reached.
    func place(besides own: SocketAddressText?) -> SocketAddressText? {
        guard !isOutdated, let place = SocketAddressText(address), place != own else { return nil }
        // A unix socket takes the process that connects for the caller: this one, which may do everything.
        if case .unix = place { return nil }
        return place
    }
}
