import CLinux
import Hummingbird
import NIOCore

/// What goes with a request: the connection that it came by.
struct ServiceContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Whether the caller is not there any more to get an answer.
    var isGone: Bool { !channel.isActive }

    /// The user of this machine at the other end of a unix socket; nil for other connections.
    var user: uid_t? {
        get async {
            guard case .unixDomainSocket? = channel.localAddress, let options = channel as? any SocketOptionProvider
            else {
                return nil
            }
            let peer: EventLoopFuture<belfry_peer> = options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(belfry_peer_option)))
            return try? await peer.get().user
        }
    }
}
