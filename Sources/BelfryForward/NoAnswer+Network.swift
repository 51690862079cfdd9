import AsyncHTTPClient
import BelfryModel
import NIOCore
import NIOHTTP1
import NIOPosix

/// What went wrong on the network, as the end of a sentence that begins with the address.
func reason(of error: any Error, within timeout: BelfryModel.Duration) -> String {
    switch error {
    case let error as HTTPClientError: reason(of: error, within: timeout)
    case let error as NIOConnectionError: reason(of: error)
    case HTTPParserError.invalidEOFState: "closed the connection before it had answered"
    case let error as HTTPParserError: "does not speak HTTP: \(error)"
    case let error as IOError: "cannot be reached: \(error.reasonInWords)"
    default: "cannot be reached: \(reasonOfTLS("\(error)"))"
    }
}

/// BoringSSL has a word for everything, and its errors print a good deal around it.
private func reasonOfTLS(_ text: String) -> String {
    if text.contains("CERTIFICATE_VERIFY_FAILED") { return "its certificate is not one that this system trusts" }
    if text.contains("WRONG_VERSION_NUMBER") { return "it does not speak TLS; is it http?" }
    if text.contains("EOF during handshake") { return "it closed the connection before TLS was agreed" }
    return text
}

private func reason(of error: HTTPClientError, within timeout: BelfryModel.Duration) -> String {
    switch error {
    case .deadlineExceeded, .connectTimeout, .readTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
        "does not answer within \(timeout)"
    case .remoteConnectionClosed: "closed the connection before it had answered"
    case .cancelled: "had not answered when the run ended"
    default: "cannot be reached: \(error.shortDescription)"
    }
}

private func reason(of error: NIOConnectionError) -> String {
    guard error.connectionErrors.isEmpty else {
        let reasons = error.connectionErrors.map { failure in
            (failure.error as? IOError)?.reasonInWords ?? "\(failure.error)"
        }
        return "cannot be reached: \(reasons[0])"
    }
    return "cannot be reached: there is no host '\(error.host)'"
}

extension IOError {
    fileprivate var reasonInWords: String { String(cString: strerror(errnoCode)) }
}
