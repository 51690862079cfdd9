import BelfryEngine
import BelfryModel
import CCrypto
import Glibc
import Synchronization

/// What a listener shows of itself, and wants to see of clients, as OpenSSL reads it from files in PEM.
final class TLSContext: Sendable {
    private let files: Configuration.Service.TLS
    private let identity: Mutex<Identity>

    /// - Parameter files: with their paths.
    /// - Throws: `TLSFailure`.
    init(_ files: Configuration.Service.TLS) throws {
        self.files = files
        identity = Mutex(try Identity(files))
    }

    /// Reads the files again: a certificate that was renewed is shown to clients that connect from now on.
    ///
    /// - Throws: `TLSFailure`; then the former ones stay.
    func renew() throws {
        let renewed = try Identity(files)
        identity.withLock { $0 = renewed }
    }

    /// A session for a connection that was accepted.
    func session() -> TLSSession { identity.withLock { TLSSession($0.context) } }
}

/// Certificate and key that were read, for sessions to come.
private final class Identity: Sendable {
    /// Set up in `init`, and not changed; OpenSSL counts its uses under a lock of its own.
    private let place: Constant<OpaquePointer>

    init(_ files: Configuration.Service.TLS) throws {
        for file in [files.certificate, files.key, files.clientCA].compactMap(\.self) {
            // OpenSSL would block on a pipe until a process opens it for writing.
            if isNoFile(file) { throw TLSFailure("the file", file, why: "it is no regular file") }
        }
        guard let context = SSL_CTX_new(TLS_server_method()) else { fatalError("OpenSSL has no memory") }
        place = Constant(context)
        // SSL_CTX_set_min_proto_version, SSL_CTX_set_options: macros that Swift does not see.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        SSL_CTX_set_options(context, 1 << 30 /* SSL_OP_NO_RENEGOTIATION */)
        SSL_CTX_set_session_id_context(context, "belfry", 6)
        // A service cannot ask for the password of a key.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(context, files.certificate) == 1 else {
            throw TLSFailure("the certificate", files.certificate)
        }
        guard SSL_CTX_use_PrivateKey_file(context, files.key, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_check_private_key(context) == 1
        else { throw TLSFailure("the key", files.key) }
        if let clientCA = files.clientCA { try demandCertificates(of: clientCA) }
    }

    deinit { SSL_CTX_free(context) }

    var context: OpaquePointer { place.pointer }

    private func demandCertificates(of authorities: String) throws {
        guard SSL_CTX_load_verify_locations(context, authorities, nil) == 1,
            let names = SSL_load_client_CA_file(authorities)
        else { throw TLSFailure("the authorities of clients", authorities) }
        SSL_CTX_set_client_CA_list(context, names)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
}

/// A file that TLS cannot be done with.
public struct TLSFailure: Error, CustomStringConvertible {
    private let what: String
    private let path: String
    private let why: String

    fileprivate init(_ what: String, _ path: String, why: String) {
        (self.what, self.path, self.why) = (what, path, why)
    }

    fileprivate init(_ what: String, _ path: String) {
        (self.what, self.path) = (what, path)
        // The first is the cause; what follows from it comes after.
        let code = ERR_get_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) }
        why = access(path, R_OK) == 0 ? reason ?? "OpenSSL does not say why" : String(cString: strerror(errno))
        ERR_clear_error()
    }

    public var description: String {
        """
        \(what) '\(path)' cannot be used
          why: \(why)
          fix: name PEM files that belong together under serve: { tls: { certificate, key, clientCA } }
        """
    }
}

private func isNoFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
}
