import Foundation
import Testing

/// The table of docs/trust.md: every case in every mode, with signatures of the real ssh-keygen.
@Suite struct TrustTableTests {
    struct Row: CustomTestStringConvertible {
        let file: String
        let signature: String
        /// By mode.
        let outcomes: [String: String]

        var testDescription: String { "\(file), signed \(signature)" }
    }

    static let rows: [Row] = {
        let page = PluginFiles.repository.appending(path: "docs/trust.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, ["listed", "modified", "not listed"].contains(cells[0]) else { return nil }
            return Row(
                file: cells[0], signature: cells[1],
                outcomes: ["enforce": cells[2], "warn": cells[3], "off": cells[4]])
        }
    }()

    @Test func `the table has every case once`() {
        let cases = Self.rows.map(\.testDescription)
        #expect(cases.count == 18 && Set(cases).count == 18)
    }

    @Test(arguments: rows) func `a plugin does what the table says`(row: Row) throws {
        let trusted = try TrustedPlace()
        try prepare(row, trusted)
        for (mode, outcome) in row.outcomes {
            try trusted.configure("{ mode: \(mode), signers: allowed_signers }")
            _ = trusted.takeInits()
            let result = try trusted.run()
            switch outcome {
            case "loads":
                #expect(result.status == 0 && !result.errors.contains("warning"), "\(mode): \(result.errors)")
                #expect(result.output.contains("notification.created"))
                #expect(!trusted.takeInits().isEmpty)
            case "warning":
                let warnings = result.errors.components(separatedBy: "warning: ").count - 1
                #expect(result.status == 0 && warnings == 1, "\(mode): \(result.errors)")
                #expect(result.errors.hasPrefix("warning: plugin 'gate.so' is loaded, and would not be if"))
                #expect(result.output.contains("notification.created"))
            default:
                #expect(result.status == 2 && result.output == "", "\(mode): \(result.errors)")
                #expect(result.errors.hasPrefix("cannot load plugin 'gate.so'\n  why: "), "\(mode): \(result.errors)")
                #expect(result.errors.contains("\n  fix: "))
                #expect(trusted.takeInits() == [], "code has run")
            }
        }
    }

    /// Everything right first, then what the row says.
    private func prepare(_ row: Row, _ trusted: TrustedPlace) throws {
        for key in ["acme", "other"] { try trusted.makeKey(key) }
        let (acme, other) = (try trusted.publicKey("acme"), try trusted.publicKey("other"))
        try trusted.allow("test.* \(acme)", "* \(other)")
        try trusted.sign("acme")
        try trusted.configure("{ signers: allowed_signers, mode: warn }")
        try trusted.lock()
        let lock = try trusted.place.text(of: "belfry.lock")
        try #require(lock.contains("signer: acme"))
        if row.file == "modified" { try trusted.modify() }
        if row.file == "not listed" {
            try trusted.place.write("version: 1\nplugins: {}\n", to: "belfry.lock")
        }
        switch row.signature {
        case "by its signer": try trusted.sign("acme")
        case "of the listed file": break
        case "none": try FileManager.default.removeItem(at: trusted.place.file("plugins/gate.so.sig"))
        case "damaged":
            let text = try trusted.place.text(of: "plugins/gate.so.sig")
            try trusted.place.write(String(text.prefix(200)), to: "plugins/gate.so.sig")
        case "of another version": try trusted.sign("acme") { $0.replacing("version: 2.0.0", with: "version: 2.0.1") }
        case "of another file":
            try trusted.sign("acme") { $0.replacing(/sha256:.*/, with: "sha256:" + String(repeating: "0", count: 64)) }
        case "with something behind its end":
            let text = try trusted.place.text(of: "plugins/gate.so.sig")
            try trusted.place.write(text + "more\n", to: "plugins/gate.so.sig")
        case "in another namespace": try trusted.sign("acme", namespace: "file")
        case "by RSA":
            try trusted.makeKey("rsa", "rsa")
            try trusted.allow("* \(try trusted.publicKey("rsa"))", "* \(acme)")
            try trusted.sign("rsa")
        case "by another signer than its entry has": try trusted.sign("other")
        case "by a key for other plugins": try trusted.allow("*,!test.gate \(acme)")
        case "by a key that nobody knows":
            try trusted.makeKey("stranger")
            try trusted.sign("stranger")
        case "by a key that is not valid yet": try trusted.allow("* valid-after=\"29990101Z\" \(acme)")
        case "by a key that has expired": try trusted.allow("* valid-before=\"20200101Z\" \(acme)")
        case "by a key that was revoked":
            try trusted.configure("{ signers: allowed_signers }")
            #expect(try trusted.belfry("trust", "remove", "test.*").status == 0)
            try trusted.place.write(
                try trusted.place.text(of: "allowed_signers").replacing("* \(other)", with: ""), to: "allowed_signers")
        default: Issue.record("no test for '\(row.signature)'")
        }
    }
}
