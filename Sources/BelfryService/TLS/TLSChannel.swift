import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Connections of a listener that speak TLS first, and then what they would speak without.
struct TLSChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let context: TLSContext

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(context.session()))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
