import CSimdJSON

/// Tells whose a line is before it is decoded, so that it gets to the shard that has the subject. One thread at a time.
package final class SignalRouter {
    private let router: OpaquePointer

    package init() {
        guard let router = simdjson_router_create() else { preconditionFailure("no memory for a JSON parser") }
        self.router = router
    }

    deinit { simdjson_router_destroy(router) }

    package enum Route {
        /// The bytes of the subject, valid until the next call.
        case subject(UnsafeRawBufferPointer)
        /// Time passes, for all subjects.
        case tick
        /// The line is no signal: what is wrong with it is for the decoder to say.
        case none
    }

    /// - Parameter line: with `InputChunk.padding` bytes behind it that may be read.
    package func route(_ line: UnsafeBufferPointer<UInt8>) -> Route {
        let route = simdjson_route(router, line.baseAddress, UInt64(line.count))
        if route.is_clock != 0 { return .tick }
        guard let subject = route.subject else { return .none }
        return .subject(UnsafeRawBufferPointer(start: subject, count: Int(route.length)))
    }
}
