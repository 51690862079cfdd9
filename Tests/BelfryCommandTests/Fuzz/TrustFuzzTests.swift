import BelfryConfiguration
import Foundation
import FuzzInput
import Testing

@testable import BelfryPluginHost

/// The texts that say who may load, nearly right: never a crash, and never a signature that ssh-keygen would not take.
@Suite struct TrustFuzzTests {
    private static let seed = UInt64(Load.number("BELFRY_SEED") ?? 1)

    @Test func `locks, signers, signatures and keys`() throws {
        let wanted = Load.number("BELFRY_FUZZ_LOCKS") ?? 20_000
        let corpus = try Corpus()
        var mutator = Mutator(
            dice: Dice(seed: Self.seed),
            tokens: [
                "sha256:", "linux-x86_64", "!", "*", "\"", "\\\"", "namespaces=\"", "valid-before=\"", "-----", "=",
                "\n",
            ])
        let began = ContinuousClock.now
        var (right, wrong) = (0, 0)
        for number in 0..<wanted {
            var bytes = corpus.texts[number % corpus.texts.count]
            mutator.mutate(&bytes, with: mutator.dice.pick(corpus.texts))
            if corpus.takes(bytes, as: number % corpus.texts.count) { right += 1 } else { wrong += 1 }
        }
        #expect(right > 0 && wrong > wanted / 4, "\(right) were right, \(wrong) wrong")
        print("fuzz, seed \(Self.seed): \(wanted) locks and the like, \(right) taken, \(began.duration(to: .now))")
    }
}

/// One right text of each kind.
private struct Corpus {
    let texts: [[UInt8]]
    private let statement: [UInt8]

    init() throws {
        let trusted = try TrustedPlace()
        try trusted.makeKey("acme")
        try trusted.sign("acme")
        let key = try trusted.publicKey("acme")
        let lock = """
            version: 1
            plugins:
              a: { file: a.so, version: 1.0.0, abi: "1.0", signer: b, digests: { linux-x86_64: "sha256:\(String(repeating: "0", count: 64))" } }
            """
        let signers =
            "# x\n\"a*,!b\" namespaces=\"belfry-plugin@v1\",valid-after=\"20200101Z\",valid-before=\"29990101120000\" \(key)\n"
        statement = Array(try trusted.place.text(of: "manifest").utf8)
        texts = [
            Array(lock.utf8), Array(signers.utf8), Array(try trusted.place.text(of: "plugins/gate.so.sig").utf8),
            Array(try trusted.place.text(of: "acme").utf8),
        ]
    }

    /// Whether it is right in spite of what was done to it.
    func takes(_ bytes: [UInt8], as kind: Int) -> Bool {
        switch kind {
        case 0:
            return
                (try? PluginLockReader(platform: "linux-x86_64").read(
                    text: String(decoding: bytes, as: UTF8.self), path: "belfry.lock")) != nil
        case 1:
            let signers = AllowedSigners(String(decoding: bytes, as: UTF8.self))
            return signers.problems.isEmpty && !signers.lines.isEmpty
        case 2:
            // Another message is never signed.
            guard let signature = try? SSHSignature(armored: bytes) else { return false }
            #expect(!signature.isValid(for: statement + [0]))
            return signature.isValid(for: statement)
        default: return (try? SSHPrivateKey(bytes)) != nil
        }
    }
}
