import CLinux
import NIOCore

extension Channel {
    /// The user of this machine at the other end of a unix socket; nil for other connections.
    var user: uid_t? {
        get async {
            guard case .unixDomainSocket? = localAddress, let options = self as? any SocketOptionProvider else {
                return nil
            }
            let peer: EventLoopFuture<belfry_peer> = options.unsafeGetSocketOption(
                level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(belfry_peer_option)))
            return try? await peer.get().user
        }
    }
}
