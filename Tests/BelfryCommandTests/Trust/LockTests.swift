import Foundation
import Testing

/// `belfry.lock`: written, obeyed, and refused in words.
@Suite struct LockTests {
    private let trusted = Result { try TrustedPlace() }

    private func digest(_ trusted: TrustedPlace) throws -> String {
        "sha256:" + (try trusted.shell("sha256sum plugins/gate.so | cut -c1-64")).trimmingCharacters(in: .newlines)
    }

    @Test func `a lock lists what is there, and what is listed loads`() throws {
        let trusted = try trusted.get()
        let result = try trusted.lock()
        #expect(result.lines.last == "belfry.lock: 3 plugins")
        let lock = try trusted.place.text(of: "belfry.lock")
        #expect(
            lock.contains(
                """
                  test.gate:
                    file: gate.so
                    version: "2.0.0"
                    abi: "1.0"
                    digests:
                      linux-x86_64: "\(try digest(trusted))"

                """), "\(lock)")
        #expect(try trusted.lock().lines.last == "belfry.lock: 3 plugins, as before")
        let run = try trusted.run()
        #expect(
            run.status == 0 && !run.errors.contains("warning") && run.output.contains("notification.created"),
            "\(run.errors)")
        #expect(try trusted.belfry("plugins", "verify").output == "3 plugins, all as belfry.lock lists them\n")
    }

    @Test
    func
        `what differs is refused with id, file, both digests and the command, by every command, and nothing of it runs`()
        throws
    {
        let trusted = try trusted.get()
        try trusted.lock()
        let listed = try digest(trusted)
        try trusted.modify()
        _ = trusted.takeInits()
        let refusal = """
            cannot load plugin 'gate.so'
              why: './plugins/gate.so' has the digest \(try digest(trusted)); for 'test.gate' belfry.lock lists \(listed)
              fix: put back the file that is listed, or, if you trust this one, list it: belfry plugins lock
            """
        for arguments in [
            ["run"], ["config", "check"], ["explain", "--subject", "ana", "--campaign", "sale"],
            ["simulate", "--against", "belfry.yaml"], ["state", "loaded", "ana"], ["plugins", "verify"],
        ] {
            let result = try trusted.place.belfry(arguments, input: Data())
            #expect(result.status == 2 && result.output == "", "\(arguments): \(result.output)")
            #expect(result.errors.hasPrefix(refusal), "\(arguments): \(result.errors)")
        }
        let list = try trusted.belfry("plugins")
        #expect(list.status == 0 && list.output.hasSuffix("\n\n\(refusal)\n"), "\(list.output)")
        for arguments in [["strategies"], ["config", "schema"], ["strategies", "describe", "gate"]] {
            _ = try trusted.place.belfry(arguments, input: Data())
        }
        #expect(trusted.takeInits() == [])
        try trusted.configure("{ mode: warn }")
        let (warned, found) = (try trusted.run(), try digest(trusted))
        #expect(
            warned.status == 0 && warned.errors.contains(found) && warned.errors.contains(listed), "\(warned.errors)")
    }

    @Test func `a file that the chain does not need is left alone with one warning`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        try PluginFiles.compile([PluginFiles.own("greeter")], into: trusted.place.file("plugins"))
        let run = try trusted.run()
        #expect(run.status == 0 && run.output.contains("notification.created"))
        #expect(run.errors.components(separatedBy: "warning: ").count == 2, "\(run.errors)")
        #expect(
            run.errors.hasPrefix(
                "warning: cannot load plugin 'greeter.so'\n  why: './plugins/greeter.so' has the digest sha256:"))
        #expect(
            run.errors.contains("; belfry.lock lists no file with it, expected none of that name\n"), "\(run.errors)")
        #expect(try trusted.belfry("plugins", "verify").status == 2)
    }

    @Test func `the list has digest and signer`() throws {
        let trusted = try trusted.get()
        try trusted.makeKey("acme")
        try trusted.sign("acme")
        try trusted.allow("* \(try trusted.publicKey("acme"))")
        try trusted.configure("{ signers: allowed_signers, mode: warn }")
        try trusted.lock()
        let table = try trusted.belfry("plugins").lines
        #expect(table[0].hasSuffix("SIGNER  DIGEST"))
        #expect(table[1].hasSuffix("acme    \(try digest(trusted))"), "\(table[1])")
        let list = try JSON(trusted.belfry("plugins", "--json").output)
        let plugins = list["plugins"]?.list?.map(\.map) ?? []
        #expect(plugins.map { $0?["digest"]?.text?.hasPrefix("sha256:") } == [true, true, true])
        #expect(plugins.map { $0?["signer"] ?? .null } == ["acme", .null, .null])
    }

    // MARK: Downgrades

    @Test func `an older version, another signer and none need a word`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        let lock = try trusted.place.text(of: "belfry.lock")
        try trusted.install("1.9.0")
        let older = try trusted.belfry("plugins", "lock")
        #expect(older.status == 2 && older.output == "")
        #expect(
            older.errors == """
                cannot lock plugin 'gate.so'
                  why: 'test.gate' 1.9.0 is older than 2.0.0, which belfry.lock lists
                  fix: if that is meant: belfry plugins lock --allow-downgrade

                """)
        #expect(try trusted.place.text(of: "belfry.lock") == lock)
        #expect(try trusted.lock("--allow-downgrade").output.contains("changed: test.gate 2.0.0 → 1.9.0"))

        for key in ["acme", "other"] { try trusted.makeKey(key) }
        try trusted.allow("* \(try trusted.publicKey("acme"))", "* \(try trusted.publicKey("other"))")
        try trusted.configure("{ signers: allowed_signers, mode: warn }")
        try trusted.sign("acme")
        try trusted.lock()
        try trusted.sign("other")
        #expect(try trusted.belfry("plugins", "lock").errors.contains("was signed by 'acme', and now is by 'other'"))
        try FileManager.default.removeItem(at: trusted.place.file("plugins/gate.so.sig"))
        let unsigned = try trusted.belfry("plugins", "lock")
        #expect(unsigned.status == 2 && unsigned.output == "")
        #expect(
            unsigned.errors == """
                cannot lock plugin 'gate.so'
                  why: 'test.gate' is to be signed by 'acme', and is not: 'test.gate' is not signed: there is no 'gate.so.sig' beside it
                  fix: get its signature, or sign it: belfry plugins sign './plugins/gate.so' --key KEY; or, if that is meant: \
                belfry plugins lock --allow-downgrade

                """)
        try trusted.lock("--allow-downgrade")
        let unsignedLock = try trusted.place.text(of: "belfry.lock")
        #expect(!unsignedLock.contains("signer"))
    }

    /// The former signature still lies beside the new file, or was removed with the former file.
    @Test(arguments: [true, false])
    func `a new version is locked before it is signed, and does not load until then`(hasFormerSignature: Bool) throws {
        let trusted = try trusted.get()
        for key in ["acme", "other"] { try trusted.makeKey(key) }
        try trusted.allow("* \(try trusted.publicKey("acme"))", "* \(try trusted.publicKey("other"))")
        try trusted.sign("acme")
        try trusted.configure("{ signers: allowed_signers, mode: warn }")
        try trusted.lock()
        try trusted.configure("{ signers: allowed_signers }")
        try trusted.install("2.1.0")
        if !hasFormerSignature { try trusted.shell("rm plugins/gate.so.sig") }
        #expect(try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", "acme").status == 2)

        let locked = try trusted.lock()
        #expect(
            locked.errors.hasPrefix(
                "warning: 'test.gate' 2.1.0 will not load until 'acme' has signed it\n  why: "), "\(locked.errors)")
        #expect(locked.errors.hasSuffix(" sign it: belfry plugins sign './plugins/gate.so' --key KEY\n"))
        #expect(
            locked.output.contains("changed: test.gate 2.0.0 → 2.1.0, ")
                && locked.output.contains(", to be signed by 'acme'\n"), "\(locked.output)")
        #expect(try trusted.place.text(of: "belfry.lock").contains("    signer: acme\n"))
        _ = trusted.takeInits()
        #expect(try trusted.run().status == 2 && trusted.takeInits() == [])

        try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", "other")
        #expect(try trusted.run().status == 2 && trusted.takeInits() == [])
        let signed = try trusted.belfry("plugins", "sign", "plugins/gate.so", "--key", "acme")
        #expect(signed.output.hasPrefix("plugins/gate.so.sig: 'test.gate' 2.1.0, linux-x86_64, by "))
        let run = try trusted.run()
        #expect(run.status == 0 && run.output.contains("notification.created"), "\(run.errors)")
        #expect(try trusted.lock().lines.last == "belfry.lock: 3 plugins, as before")
    }

    @Test func `a plugin that is older than its entry says is refused, whatever its digest`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        let lock = try trusted.place.text(of: "belfry.lock")
        try trusted.place.write(lock.replacing("version: \"2.0.0\"", with: "version: \"2.0.1\""), to: "belfry.lock")
        let result = try trusted.run()
        #expect(result.status == 2)
        #expect(
            result.errors.contains(
                "why: 'test.gate' in './plugins/gate.so' is of version 2.0.0, which is older than 2.0.1, which belfry.lock lists"
            ),
            "\(result.errors)")
    }

    // MARK: Platforms

    @Test func `a digest for another platform is added, kept, and dropped with the next version`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        try trusted.place.makePlugins([trusted.plugin], in: "arm")
        try trusted.shell("printf '\\267' | dd of=arm/gate.so bs=1 seek=18 conv=notrunc 2>/dev/null")
        let added = try trusted.lock("--platform", "linux-aarch64", "--file", "arm/gate.so")
        #expect(added.errors == "" && added.output.contains("changed: test.gate 2.0.0, gate.so, linux-aarch64 sha256:"))
        try trusted.lock()
        #expect(try trusted.place.text(of: "belfry.lock").contains("linux-aarch64"))
        #expect(try trusted.run().status == 0)
        try trusted.install("2.1.0")
        #expect(
            try trusted.lock().errors
                == "warning: 'test.gate' 2.1.0 has no digest for linux-aarch64 yet: belfry plugins lock --platform linux-aarch64 --file FILE\n"
        )
        let unknown = try trusted.belfry("plugins", "lock", "--platform", "linux-aarch64", "--file", "cache")
        #expect(unknown.status == 2)
    }

    // MARK: Configuration

    @Test(arguments: [("{ mode: enforce }", "mode"), ("{ signers: allowed_signers }", "signers")])
    func `what has no sense without a lock is an error that names the command`(trust: String, key: String) throws {
        let trusted = try TrustedPlace(trust: trust)
        try trusted.allow("")
        let result = try trusted.run()
        #expect(result.status == 2)
        let found = key == "mode" ? "'mode', and no 'belfry.lock'" : "'signers', and no 'belfry.lock'"
        #expect(
            result.errors == """
                belfry.yaml:5: trust.\(key)
                  found: \(found)
                  expected: the lock, which says what may be loaded
                  fix: write it: belfry plugins lock

                """)
        #expect(trusted.takeInits() == [])
        try trusted.lock()
    }

    @Test(arguments: [
        ("{ signers: allowed_signers }", "signers"), ("{ mode: enforce, signers: allowed_signers }", "mode"),
    ])
    func `a lock and signers that are not there are told together`(trust: String, key: String) throws {
        let trusted = try TrustedPlace(trust: trust)
        let result = try trusted.run()
        #expect(result.status == 2)
        let signers = """
            belfry.yaml:5: trust.signers
              found: no file 'allowed_signers' that can be read
              expected: OpenSSH's allowed_signers
              fix: make it: belfry trust add KEYFILE --for PATTERN

            """
        let lock = """
            belfry.yaml:5: trust.\(key)
              found: '\(key)', and no 'belfry.lock'
              expected: the lock, which says what may be loaded
              fix: write it: belfry plugins lock

            """
        // In the order of the file; at one key, in the order in which they are to be made.
        #expect(result.errors == (key == "mode" ? [lock, signers] : [signers, lock]).joined(separator: "\n"))
        #expect(trusted.takeInits() == [])
    }

    @Test func `a wrong trust lets nothing run`() throws {
        let trusted = try TrustedPlace(trust: "{ mode: enfroce }")
        let result = try trusted.run()
        #expect(result.status == 2 && result.errors.contains("did you mean 'enforce'?"), "\(result.errors)")
        #expect(trusted.takeInits() == [])
    }

    @Test func `off reads nothing, not even a broken lock`() throws {
        let trusted = try TrustedPlace(trust: "{ mode: off }")
        try trusted.place.write("nonsense", to: "belfry.lock")
        let result = try trusted.run()
        #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
    }

    @Test func `everything that is wrong with a lock is told at once, and no plugin runs`() throws {
        let trusted = try trusted.get()
        try trusted.place.write(
            """
            version: 2
            plugin: {}
            plugins:
              a: { file: a.so, version: 1.0.0, abi: "1.0", digests: { linux-x86_64: "sha256:ABC" } }
              b: { file: b.so, version: 1.0.0, abi: "1.0", digests: {}, isolation: runner }
            """, to: "belfry.lock")
        let result = try trusted.run()
        #expect(result.status == 2)
        let places = result.errors.split(separator: "\n").filter { $0.hasPrefix("belfry.lock:") }.map { String($0) }
        #expect(
            places == [
                "belfry.lock:1: version", "belfry.lock:2: plugin", "belfry.lock:4: plugins.a.digests.linux-x86_64",
                "belfry.lock:5: plugins.b.digests", "belfry.lock:5: plugins.b.isolation",
            ], "\(result.errors)")
        #expect(trusted.takeInits() == [])
    }

    @Test(arguments: [
        "", "# nothing\n", "version: 1\n", "plugins: [a]\nversion: 1\n", "\u{0}", "- x\n",
        "version: 1\nplugins:\n  a: {}\n  a: {}\n",
    ])
    func `a lock that is none has a line, too`(text: String) throws {
        let trusted = try trusted.get()
        try trusted.place.write(text, to: "belfry.lock")
        let result = try trusted.run()
        #expect(result.status == 2 && result.errors.hasPrefix("belfry.lock:"), "\(result.errors)")
        #expect(result.errors.firstMatch(of: /^belfry.lock:\d/) != nil, "\(result.errors)")
    }

    // MARK: Time

    /// While the file is swapped in a loop, never does one decide that is not listed.
    @Test func `a file that is swapped all the time decides as listed, or not at all`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        let good = try Data(contentsOf: trusted.plugin)
        try trusted.install("1.0.0")
        let bad = try Data(contentsOf: trusted.plugin)
        let (path, stop) = (trusted.plugin.path, trusted.place.file("stop").path)
        let swapper = Thread {
            var number = 0
            while access(stop, F_OK) != 0 {
                number += 1
                // Without a pause it would take a processor from all other tests.
                usleep(2_000)
                let data = number % 2 == 0 ? good : bad
                // In place, and by a new file in its place.
                if number % 3 == 0 {
                    try? data.write(to: URL(filePath: path + ".new"))
                    rename(path + ".new", path)
                } else {
                    try? data.write(to: URL(filePath: path))
                }
            }
        }
        swapper.start()
        defer { try? Data().write(to: URL(filePath: stop)) }
        var (decided, refused) = (0, 0)
        for _ in 0..<(Load.number("BELFRY_SWAPS") ?? 20) {
            let result = try trusted.run()
            #expect(!result.output.contains("suppressed"), "the version that is not listed has decided")
            if result.status == 0 { decided += 1 } else { refused += 1 }
            #expect(result.status == 0 ? result.output.contains("created") : result.status == 2, "\(result.errors)")
        }
        #expect(!trusted.takeInits().contains { $0.hasPrefix("1.0.0") })
        print("swapped: \(decided) starts decided, \(refused) were refused")
    }

    @Test func `a run that watches follows lock and signers, and what runs stays when its key is revoked`() throws {
        let trusted = try TrustedPlace(version: "1.0.0")
        try trusted.makeKey("acme")
        try trusted.allow("test.gate \(try trusted.publicKey("acme"))")
        try trusted.sign("acme")
        try trusted.configure("{ signers: allowed_signers, mode: warn }")
        try trusted.lock()
        try trusted.configure("{ signers: allowed_signers }")
        let run = try LiveRun(in: trusted.place, "--watch")
        try run.hear("watching")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 suppressed sale by gate"])
        let signers = try trusted.place.text(of: "allowed_signers")
        #expect(try trusted.belfry("trust", "remove", "test.gate").status == 0)
        let report = try run.hear("the former")
        #expect(report.contains("which allowed_signers does not list (any more)"), "\(report)")
        #expect(report.hasSuffix("the former configuration stays in force"))
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 suppressed sale by gate"])
        try trusted.place.write(signers, to: "allowed_signers")
        try run.hear("the configuration is again the one in force")
        try trusted.configure("{ mode: warn }")
        try run.hear("reloaded: settings: 'trust' changed")
        try trusted.install("2.0.0")
        try run.hear("reloaded: plugins: 'test.gate' 1.0.0 → 2.0.0")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 created sale/1"])
        #expect(try run.end() == 0)
    }

    @Test func `each configuration of a simulation has the lock beside it`() throws {
        let trusted = try trusted.get()
        try trusted.lock()
        try trusted.shell(
            "mkdir b && cp -r belfry.yaml belfry.lock plugins b && printf x >> b/plugins/gate.so && printf '{}' > signals.jsonl"
        )
        let result = try trusted.belfry("simulate", "--against", "b/belfry.yaml", "--signals", "signals.jsonl")
        #expect(
            result.status == 2 && result.errors.contains("for 'test.gate' b/belfry.lock lists sha256:"),
            "\(result.errors)")
        #expect(result.errors.contains("belfry plugins lock --config b/belfry.yaml"))
    }
}
