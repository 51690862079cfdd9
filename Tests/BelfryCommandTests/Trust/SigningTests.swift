import Foundation
import Testing

/// `plugins manifest`, `plugins sign` and `trust`, beside the real ssh-keygen.
@Suite struct SigningTests {
    private let trusted = Result { try TrustedPlace() }

    @Test func `signers that cannot be read are not taken for none`() throws {
        let trusted = try TrustedPlace(trust: "{ signers: allowed_signers }")
        try trusted.makeKey("acme")
        let signers = trusted.place.file("allowed_signers")
        try FileManager.default.createDirectory(at: signers, withIntermediateDirectories: false)
        for result in [
            try trusted.belfry("trust", "add", "acme.pub", "--for", "*"), try trusted.belfry("trust", "list"),
        ] {
            #expect(result.status == 2 && result.output == "")
            #expect(
                result.errors.contains("which says who may sign\n  why: Is a directory\n  fix: make it a file"),
                "\(result.errors)")
        }
    }

    @Test func `ssh-keygen verifies what belfry signs`() throws {
        let trusted = try trusted.get()
        try trusted.makeKey("acme")
        try trusted.belfry("trust", "add", "acme.pub", "--for", "test.*,other")
        #expect(
            try trusted.place.text(of: "allowed_signers")
                == "test.*,other namespaces=\"belfry-plugin@v1\" \(try trusted.publicKey("acme"))\n")
        let signed = try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", "acme")
        #expect(signed.status == 0, "\(signed.errors)")
        let fingerprint = try trusted.shell("ssh-keygen -lf acme.pub | cut -d' ' -f2")
        #expect(signed.output == "plugins/gate.so.sig: 'test.gate' 2.0.0, linux-x86_64, by \(fingerprint)")
        let output = try trusted.shell(
            """
            belfry plugins manifest plugins/gate.so | ssh-keygen -Y verify -n belfry-plugin@v1 -f allowed_signers \
            -I test.gate -s plugins/gate.so.sig
            """)
        #expect(output.hasPrefix("Good \"belfry-plugin@v1\" signature for test.gate"), "\(output)")
    }

    @Test func `the manifest is five lines, and under a lock nothing runs for it`() throws {
        let trusted = try trusted.get()
        let manifest = try trusted.belfry("plugins", "manifest", "plugins/gate.so")
        let digest = try trusted.shell("sha256sum plugins/gate.so | cut -c1-64")
        let expected = "id: test.gate\nversion: 2.0.0\nabi: 1.0\nplatform: linux-x86_64\ndigest: sha256:\(digest)"
        #expect(manifest.output == expected)
        try trusted.lock()
        _ = trusted.takeInits()
        #expect(try trusted.belfry("plugins", "manifest", "plugins/gate.so").output == expected)
        try trusted.install("2.1.0")
        let other = try trusted.belfry("plugins", "manifest", "plugins/gate.so")
        #expect(other.status == 2 && other.output == "")
        let otherDigest = try trusted.shell("sha256sum plugins/gate.so | cut -c1-64").trimmingCharacters(in: .newlines)
        #expect(
            other.errors == """
                cannot load plugin 'gate.so'
                  why: belfry.lock lists another file under that name, 'test.gate' 2.0.0; this one has the digest sha256:\(otherDigest)
                  fix: list it first: belfry plugins lock

                """)
        try trusted.install("2.1.0", as: "unknown.so")
        let unknown = try trusted.belfry("plugins", "manifest", "plugins/unknown.so")
        #expect(unknown.status == 2 && unknown.errors.contains("so nobody knows what it is"), "\(unknown.errors)")
        #expect(trusted.takeInits() == [])
    }

    @Test func `a file of another platform is signed for that platform`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        try trusted.place.makePlugins([trusted.plugin], in: "arm")
        try trusted.shell("printf '\\267' | dd of=arm/gate.so bs=1 seek=18 conv=notrunc 2>/dev/null")
        try trusted.lock("--platform", "linux-aarch64", "--file", "arm/gate.so")
        let digest = try trusted.shell("sha256sum arm/gate.so | cut -c1-64")
        #expect(
            try trusted.belfry("plugins", "manifest", "arm/gate.so").output
                == "id: test.gate\nversion: 2.0.0\nabi: 1.0\nplatform: linux-aarch64\ndigest: sha256:\(digest)")
    }

    @Test func `a key with a passphrase is left to ssh-keygen, in words that work`() throws {
        let trusted = try trusted.get()
        try trusted.makeKey("secret", passphrase: "bells")
        let result = try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", "secret")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                cannot sign with the key 'secret'
                  why: it is encrypted, and nobody is asked for a passphrase here
                  fix: belfry plugins manifest 'plugins/gate.so' | ssh-keygen -Y sign -n belfry-plugin@v1 -f 'secret' > 'plugins/gate.so.sig'

                """)
    }

    @Test func `a key of another kind, one that others can read and one that is none are refused`() throws {
        let trusted = try trusted.get()
        try trusted.makeKey("rsa", "rsa")
        try trusted.makeKey("open")
        try trusted.shell("chmod 644 open; printf x > none; chmod 600 none")
        for (key, why) in [
            ("rsa", "it is of another algorithm than ssh-ed25519"), ("open", "others than its owner can reach it"),
            ("none", "it does not begin with '-----BEGIN OPENSSH PRIVATE KEY-----'"),
            ("open.pub", "it does not begin with '-----BEGIN OPENSSH PRIVATE KEY-----'"),
            ("gone", "No such file or directory"),
        ] {
            let result = try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", key)
            #expect(result.status == 2 && result.errors.contains("  why: \(why)\n"), "\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: trusted.place.file("plugins/gate.so.sig").path))
    }

    @Test(arguments: ["\r\n", "\n\r\n"])
    func `a signer is removed also where lines end as on other systems`(end: String) throws {
        let trusted = try trusted.get()
        for key in ["acme", "evil"] { try trusted.makeKey(key) }
        let lines = ["# ours", "a* \(try trusted.publicKey("acme"))", "e* \(try trusted.publicKey("evil"))", "# end"]
        try trusted.allow("")
        try trusted.place.write(lines.joined(separator: end), to: "allowed_signers")
        #expect(try trusted.belfry("trust", "remove", "e*").status == 0)
        let text = try trusted.place.text(of: "allowed_signers")
        #expect(text.contains("a* ") && !text.contains("e* ") && text.contains("# end"))
        #expect(try trusted.belfry("trust", "remove", "e*").status == 2)
    }

    @Test func `signers are added, listed and removed line by line, and what nobody asks about stays`() throws {
        let trusted = try trusted.get()
        for key in ["acme", "other"] { try trusted.makeKey(key) }
        try trusted.makeKey("rsa", "rsa")
        let text =
            "# ours\na*,b* \(try trusted.publicKey("acme"))\nc valid-before=\"20200101Z\" \(try trusted.publicKey("other"))\n"
            + "* \(try trusted.publicKey("rsa"))\n"
        try trusted.allow("")
        try trusted.place.write(text, to: "allowed_signers")
        let list =
            try JSON("{\"list\":\(trusted.belfry("trust", "list", "--json").output)}")["list"]?.list?.map(\.map) ?? []
        #expect(list.map { $0?["status"] } == ["valid", "expired", "not Ed25519"])
        #expect(list.map { $0?["principals"] } == ["a*,b*", "c", "*"])
        #expect(list.map { $0?["line"] } == [2, 3, 4])
        #expect(try trusted.belfry("trust", "remove", "b*").status == 0)
        #expect(try trusted.place.text(of: "allowed_signers") == text.replacing("a*,b*", with: "a*"))
        #expect(try trusted.belfry("trust", "remove", "a*").status == 0)
        let left = try trusted.place.text(of: "allowed_signers")
        #expect(!left.contains("acme"))
        let gone = try trusted.belfry("trust", "remove", "a*")
        #expect(
            gone.status == 2 && gone.errors.contains("no line has that principal; there is 'c', '*'"), "\(gone.errors)")
        let rsa = try trusted.belfry("trust", "add", "rsa.pub", "--for", "*")
        #expect(rsa.status == 2 && rsa.errors.contains("it is no public key of ssh-ed25519"), "\(rsa.errors)")
        let twice = try trusted.belfry("trust", "add", "other.pub", "--for", "c")
        let same = try trusted.place.text(of: "allowed_signers")
        #expect(twice.status == 0 && !same.contains("namespaces"))
    }

    @Test func `a line that nobody understands is told with its number, and nothing loads`() throws {
        let trusted = try trusted.get()
        try trusted.makeKey("acme")
        try trusted.lock()
        let key = try trusted.publicKey("acme")
        try trusted.allow(
            "* \(key)", "* verify-required \(key)", "* valid-before=\"soon\" \(key)", "* ssh-ed25519 AAAA")
        try trusted.configure("{ signers: allowed_signers }")
        _ = trusted.takeInits()
        let result = try trusted.run()
        #expect(result.status == 2)
        let lines = result.errors.split(separator: "\n").filter { $0.hasPrefix("allowed_signers:") }
        #expect(lines == ["allowed_signers:2", "allowed_signers:3", "allowed_signers:4"], "\(result.errors)")
        #expect(result.errors.contains("found: the unknown option 'verify-required'"))
        #expect(trusted.takeInits() == [])
    }
}
