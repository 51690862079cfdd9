import Foundation
import Testing

@testable import BelfryPluginHost

/// OpenSSH's formats, without any file.
@Suite struct OpenSSHTests {
    // RFC 8032, section 7.1, TEST 3.
    private static let seed = bytes("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
    private static let key = bytes("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
    private static let signature = bytes(
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    )

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.count, by: 2).map { UInt8(hex.dropFirst($0).prefix(2), radix: 16)! }
    }

    @Test func `Ed25519 is that of RFC 8032`() {
        #expect(Ed25519.publicKey(of: Self.seed) == Self.key)
        #expect(Ed25519.sign([0xAF, 0x82], with: Self.seed) == Self.signature)
        #expect(Ed25519.isValid(Self.signature, of: [0xAF, 0x82], by: Self.key))
    }

    /// Project Wycheproof's cases: signatures that are cut, longer, of other encodings, malleable, of points that are none. What is
    /// "acceptable" there may be either.
    @Test func `Ed25519 passes Wycheproof`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ed25519.txt")
        let cases = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(cases.count == 210)
        for line in cases {
            let words = line.split(separator: " ").map { $0 == "-" ? "" : String($0) }
            let (key, message, signature) = (Self.bytes(words[2]), Self.bytes(words[3]), Self.bytes(words[4]))
            if words[1] == "acceptable" { continue }
            #expect(
                Ed25519.isValid(signature, of: message, by: key) == (words[1] == "valid"), "case \(words[0])")
        }
    }

    @Test func `a signature that is another in one bit, longer, shorter, or with its number beyond the order is none`()
    {
        for bit in 0..<512 {
            var other = Self.signature
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!Ed25519.isValid(other, of: [0xAF, 0x82], by: Self.key))
        }
        #expect(!Ed25519.isValid(Self.signature + [0], of: [0xAF, 0x82], by: Self.key))
        #expect(!Ed25519.isValid(Self.signature.dropLast(), of: [0xAF, 0x82], by: Self.key))
        #expect(!Ed25519.isValid(Self.signature, of: [0xAF, 0x83], by: Self.key))
        // S + L: the same point, and no signature (RFC 8032, section 5.1.7).
        let order = Self.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var (malleable, carry) = (Self.signature, 0)
        for index in 0..<32 {
            let sum = Int(malleable[32 + index]) + Int(order[index]) + carry
            (malleable[32 + index], carry) = (UInt8(sum & 255), sum >> 8)
        }
        #expect(!Ed25519.isValid(malleable, of: [0xAF, 0x82], by: Self.key))
    }

    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("*", "", true), ("a*", "abc", true), ("*c", "abc", true),
        ("?", "a", true),
        ("?", "", false), ("a?c", "abc", true), ("a*b*c", "aXbYbZc", true), ("a*b*c", "acb", false),
        ("x,a*", "abc", true),
        ("*,!abc", "abc", false), ("!abc,*", "abc", false), ("!abc", "x", false), ("*,!a?c", "abd", true),
        ("", "", true),
        ("a,,b", "c", false),
    ])
    func `patterns match as in OpenSSH`(patterns: String, name: String, matches: Bool) {
        #expect(PatternList(patterns).matches(name) == matches)
    }

    @Test func `a pattern of many stars does not take long`() {
        let pattern = String(repeating: "a*", count: 500) + "b"
        #expect(!PatternList(pattern).matches(String(repeating: "a", count: 100_000)))
    }

    private static let line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPxRzY5iGKGjjaR+0AIw8FgIFu0TujMDrF3rkRVIkIAl"

    @Test func `a line has principals, options, a key and a comment`() throws {
        let signers = AllowedSigners(
            """
            # a comment

            a,b* \(Self.line) Acme Releases \t
            "c d" NAMESPACES="x\\"y,belfry-*",valid-after="20200102Z",valid-before="20300102030405Z" \(Self.line)
            * cert-authority \(Self.line) root
            * ssh-rsa AAAA rsa
            * sk-ssh-ed25519@openssh.com AAAA token
            """)
        #expect(signers.problems == [])
        let lines = signers.lines
        #expect(lines.map(\.number) == [3, 4, 5, 6, 7])
        #expect(lines[0].name == "Acme Releases" && lines[0].principals.patterns == ["a", "b*"])
        let key = try #require(lines[0].key)
        #expect(key.bytes == Self.key)
        #expect(lines[1].name == key.fingerprint && lines[1].principals.patterns == ["c d"])
        #expect(lines[1].namespaces?.patterns == ["x\"y", "belfry-*"])
        #expect(lines[1].validAfter == 1_577_923_200 && lines[1].validBefore == 1_893_553_445)
        #expect(lines[2...].map(\.passedOver) == ["an authority", "not Ed25519", "not Ed25519"])
        #expect(lines[2...].allSatisfy { $0.key == nil })
    }

    @Test(arguments: [
        "*", "* x", "* verify-required \(line)", "* namespaces=x \(line)", "* namespaces=\"\" \(line)",
        "* namespaces=\"x \(line)", "* valid-after=\"tomorrow\" \(line)", "* valid-before=\"20300230Z\" \(line)",
        "* valid-before=\"2030010203Z\" \(line)", "* valid-before=\"20200101Z\",valid-after=\"20200101Z\" \(line)",
        "* namespaces=\"a\",namespaces=\"b\" \(line)", "* namespaces=\"a\"x \(line)", "\"a \(line)", "* ssh-ed25519",
        "* ssh-ed25519 AAAA", "* ssh-ed25519 !", "* \(line)=", "* cert-authority", "* namespaces=\"a\", \(line)",
    ])
    func `a line that is wrong is told`(line: String) {
        let signers = AllowedSigners("# first\n\(line)")
        #expect(signers.problems.map(\.line) == [2] && signers.lines == [], "\(signers)")
    }

    @Test func `of several names of a key the wanted one is given, if its line is valid`() throws {
        let signers = AllowedSigners(
            "* \(Self.line) one\n* \(Self.line) two\n* valid-before=\"20200101Z\" \(Self.line) old")
        let (key, now) = (try #require(signers.lines.first?.key), Int64(1_600_000_000))
        #expect(try signers.signer(with: key, for: "x", at: now) == "one")
        #expect(try signers.signer(with: key, for: "x", named: "two", at: now) == "two")
        #expect(try signers.signer(with: key, for: "x", named: "old", at: now) == "one")
    }

    @Test func `a key is valid from its first moment to its last`() throws {
        let signers = AllowedSigners("* valid-after=\"20200101Z\",valid-before=\"20200102Z\" \(Self.line) me")
        let (key, first, last) = (try #require(signers.lines.first?.key), Int64(1_577_836_800), Int64(1_577_923_200))
        #expect(throws: AllowedSigners.Objection.notYetValid(since: first)) {
            try signers.signer(with: key, for: "x", at: first - 1)
        }
        #expect(try signers.signer(with: key, for: "x", at: first) == "me")
        #expect(try signers.signer(with: key, for: "x", at: last) == "me")
        #expect(throws: AllowedSigners.Objection.expired(at: last)) {
            try signers.signer(with: key, for: "x", at: last + 1)
        }
        #expect(SignerTime.text(last) == "2020-01-02T00:00:00Z")
    }

    @Test func `a statement is five lines, whatever the plugin calls itself`() {
        var statement = PluginStatement(id: "a", version: "1", abi: "1.0", platform: "linux-x86_64", digest: "sha256:0")
        #expect(statement.text == "id: a\nversion: 1\nabi: 1.0\nplatform: linux-x86_64\ndigest: sha256:0\n")
        statement.id = "a\nversion: 2"
        #expect(statement.text == nil)
    }
}
