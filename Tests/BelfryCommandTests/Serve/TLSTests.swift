import CCrypto
import Foundation
import Testing

/// A service behind TLS, asked by OpenSSL's own client.
@Suite struct TLSTests {
    private static let configuration = """
        app: shop
        store: "memory:"
        campaigns: [ { id: hello, message: Hello } ]
        serve: { tls: { certificate: cert.pem, key: key.pem, clientCA: ca.pem } }
        """

    private let place: Workplace

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        try certify("ca", nil, "-x509")
        try certify("cert", "key", "-x509", "-addext", "subjectAltName=IP:127.0.0.1")
        try certify("mia", "mia-key", "-x509", "-CA", "ca.pem", "-CAkey", "ca-key.pem")
    }

    private func certify(_ name: String, _ key: String?, _ more: String...) throws {
        let key = "\(key ?? "\(name)-key").pem"
        let made = try openssl(
            [
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
                "-keyout", key, "-out", "\(name).pem",
            ] + more)
        try #require(made.status == 0, "\(made.text)")
    }

    private func openssl(_ arguments: [String], input: String = "") throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = place.url
        let (input, output) = (try Self.pipe(input), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static func pipe(_ text: String) throws -> Pipe {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return pipe
    }

    /// Asks for a page, and gets all that comes until the connection ends.
    private func ask(_ service: LiveService, _ arguments: String...) throws -> String {
        let request =
            "GET /v1/config HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer \(service.token)\r\n\r\n"
        let address = String(service.api.dropFirst("https://".count))
        return try openssl(
            ["s_client", "-connect", address, "-CAfile", "cert.pem", "-verify_return_error", "-ign_eof", "-brief"]
                + arguments, input: request
        ).text
    }

    @Test func `a client with a certificate is answered, others are not`() async throws {
        let service = try LiveService(in: place)
        #expect(service.api.hasPrefix("https://127.0.0.1:"))
        let known = try ask(service, "-cert", "mia.pem", "-key", "mia-key.pem")
        #expect(known.contains("TLSv1.3"))
        #expect(known.contains("HTTP/1.1 200 OK\r\n") && known.contains(#""app":"shop""#))
        let unknown = try ask(service)
        #expect(unknown.contains("certificate required") && !unknown.contains("HTTP/1.1"), "\(unknown)")
        let former = try ask(service, "-cert", "mia.pem", "-key", "mia-key.pem", "-no_tls1_3", "-no_tls1_2")
        #expect(!former.contains("HTTP/1.1"))
        // Probes of this machine need neither.
        #expect(try await service.manage("GET", "/readyz").status == 200)
        #expect(service.stop() == 0)
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a client that says behind its request that no more comes is answered, and the connection ends`(
        version: Int32
    ) throws {
        let service = try LiveService(in: place)
        let signal = ServiceTests.signals(0..<1)
        let answer = try askLast(
            service,
            """
            POST /v1/signals HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(service.token)\r
            Content-Type: application/cloudevents+json\r
            Content-Length: \(signal.utf8.count)\r
            \r
            \(signal)
            """, version)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains(#""status":"decided""#), "\(answer)")
        #expect(try askLast(service, "", version) == "")
    }

    /// Says right behind a request that no more comes, and gets all that comes until the other end says the same.
    private func askLast(_ service: LiveService, _ request: String, _ version: Int32) throws -> String {
        let context = SSL_CTX_new(TLS_client_method())
        defer { SSL_CTX_free(context) }
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
        try #require(SSL_CTX_use_certificate_file(context, place.file("mia.pem").path, SSL_FILETYPE_PEM) == 1)
        try #require(SSL_CTX_use_PrivateKey_file(context, place.file("mia-key.pem").path, SSL_FILETYPE_PEM) == 1)
        let connection = BIO_new_ssl_connect(context)
        defer { BIO_free_all(connection) }
        let address = String(service.api.dropFirst("https://".count))
        address.withCString { _ = BIO_ctrl(connection, BIO_C_SET_CONNECT, 0, UnsafeMutableRawPointer(mutating: $0)) }
        var session: OpaquePointer?
        BIO_ctrl(connection, BIO_C_GET_SSL, 0, &session)
        try #require(BIO_ctrl(connection, BIO_C_DO_STATE_MACHINE, 0, nil) == 1)
        if !request.isEmpty { try #require(SSL_write(session, request, Int32(request.utf8.count)) > 0) }
        SSL_shutdown(session)
        var (answer, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while case let count = SSL_read(session, &piece, Int32(piece.count)), count > 0 {
            answer += piece.prefix(Int(count))
        }
        #expect(SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0)
        return String(decoding: answer, as: UTF8.self)
    }

    @Test func `a renewed certificate is shown after a reload, one that is wrong never`() async throws {
        let service = try LiveService(in: place)
        try certify("cert", "key", "-x509", "-addext", "subjectAltName=IP:127.0.0.1", "-subj", "/CN=renewed")
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        #expect(try ask(service, "-cert", "mia.pem", "-key", "mia-key.pem").contains("renewed"))
        try place.write("nonsense", to: "key.pem")
        let refused = try await service.manage("POST", "/-/reload")
        #expect(refused.status == 422)
        #expect(refused.text.contains("key.pem' cannot be used"), "\(refused.text)")
        #expect(try ask(service, "-cert", "mia.pem", "-key", "mia-key.pem").contains("HTTP/1.1 200 OK"))
        let check = try place.belfry("config", "check")
        #expect(check.status == 0)
        #expect(
            check.errors.contains("warning: 'belfry serve' would not start here, as this user: the key '")
                && check.errors.contains("key.pem' cannot be used"), "\(check.errors)")
        try FileManager.default.removeItem(at: place.file("key.pem"))
        #expect(mkfifo(place.file("key.pem").path, 0o600) == 0)
        let pipe = try place.belfry("config", "check")
        #expect(
            pipe.status == 0 && pipe.errors.contains("key.pem' cannot be used\n  why: it is no regular file\n"),
            "\(pipe.errors)")
        try FileManager.default.removeItem(at: place.file("key.pem"))
        try place.write("nonsense", to: "key.pem")
        let other = try place.belfry("serve", "--listen", "127.0.0.1:0", "--manage", "127.0.0.1:0")
        #expect(other.status == 2)
        #expect(other.errors.contains("\nthe key '"))
        #expect(other.errors.contains("  fix: name PEM files that belong together"))
    }
}
