import BelfryConfiguration
import Glibc
import HummingbirdCore
import NIOCore
import NIOPosix

/// An address at which nothing can be listened to.
struct ListenFailure: Error, CustomStringConvertible {
    let address: SocketAddressText
    let option: String
    let why: String
    /// Whether another program listens there.
    var isTaken = false

    var description: String {
        """
        cannot listen at '\(address)'
          why: \(why)
          fix: \(isTaken ? "end the program that listens there, or name" : "name") another address with \(option)
        """
    }
}

extension ListenFailure {
    static func taken(_ address: SocketAddressText, option: String) -> ListenFailure {
        ListenFailure(address: address, option: option, why: String(cString: strerror(EADDRINUSE)), isTaken: true)
    }

    /// Nil if the error is about something else than the address.
    init?(_ error: any Error, at address: SocketAddressText, option: String) {
        let why: String
        switch error {
        case let error as IOError: why = String(cString: strerror(error.errnoCode))
        case let error as SocketAddressError: why = error.words
        case let error as SocketAddressError.UnknownHost: why = "there is no host '\(error.host)'"
        case is UnixDomainSocketPathWrongType: why = "there is a file that is no socket"
        case let error as NIOConnectionError: why = "there is no host '\(error.host)'"
        default: return nil
        }
        let isTaken = (error as? IOError)?.errnoCode == EADDRINUSE
        self.init(address: address, option: option, why: why, isTaken: isTaken)
    }
}

extension SocketAddressError {
    fileprivate var words: String {
        switch self {
        case .unixDomainSocketPathTooLong: "the path is longer than the system takes, which is 107 bytes"
        case .unknown(let host, _): "there is no host '\(host)'"
        case .unsupported, .failedToParseIPString: "it is no address that the system knows"
        }
    }
}

/// A listener that others get to, and nothing that tells them from one another.
public struct OpenListener: Error, CustomStringConvertible {
    let addresses: [SocketAddressText]

    public var description: String {
        """
        cannot listen at \(addresses.map { "'\($0)'" }.joined(separator: " and ")) without tokens
          why: others than this machine get there, and a token that is made for a start is for this machine
          fix: name a file in the configuration, serve: { tokens: tokens.yaml }, and make tokens: belfry tokens new NAME --role admin
        """
    }
}
