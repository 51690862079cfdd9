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
