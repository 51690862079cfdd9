import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// Connections of a listener that may speak HTTP/1.0, too.
struct HTTP10Channel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            try channel.pipeline.syncOperations.addHTTP10Handler()
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension ChannelPipeline.SynchronousOperations {
    /// Behind the decoder, which is the last that says in which version a request is.
    func addHTTP10Handler() throws {
        let decoder = try handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try addHandler(HTTP10Handler(), position: .after(decoder))
    }
}
