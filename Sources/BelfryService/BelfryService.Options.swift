import BelfryConfiguration
import BelfryRuntime
import BelfryStore
import Glibc

extension BelfryService {
    public struct Options: Sendable {
        public var listen: SocketAddressText
        public var manage: SocketAddressText
        /// Where other replicas reach this one; nil: as it listens.
        public var advertise: SocketAddressText?
        public var store: StoreLocation
        public var runner: Runner.Options
        public var files: ServiceFiles
        /// What decides the same besides.
        public var shadow: Shadow.Settings?
        /// Gets sentences for people.
        public var say: @Sendable (String) -> Void

        public init(
            listen: SocketAddressText, manage: SocketAddressText, store: StoreLocation, runner: Runner.Options,
            files: ServiceFiles, say: @escaping @Sendable (String) -> Void
        ) {
            (self.listen, self.manage, self.store, self.runner) = (listen, manage, store, runner)
            (self.files, self.say) = (files, say)
        }
    }
}

extension BelfryService.Options {
    /// Where other replicas reach this one, which listens at `address`: as configured, else there. Of all addresses of the machine (0.0.0.0),
    /// its name takes the place.
    func advertised(_ address: SocketAddressText) -> SocketAddressText {
        if let advertise { return advertise }
        guard case .network(let host, let port) = address, ["0.0.0.0", "::"].contains(host) else { return address }
        return .network(host: machineName, port: port)
    }
}

private var machineName: String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
