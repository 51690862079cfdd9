import Foundation
import Testing

/// A folder with one foreign plugin that the chain needs, keys, and what else trust is about. The plugin leaves a line in `inits`
/// wherever its code runs.
final class TrustedPlace {
    static let namespace = "belfry-plugin@v1"
    let place: Workplace

    /// The plugin `test.gate`: 1.0.0 denies, every other version allows.
    init(version: String = "2.0.0", trust: String? = nil) throws {
        place = try Workplace()
        try configure(trust)
        try install(version)
    }

    func configure(_ trust: String?) throws {
        try place.write(
            """
            app: shop
            plugins: { directories: [plugins] }
            chain: [ { strategy: gate } ]
            campaigns: [ { id: sale, message: Half price } ]
            \(trust.map { "trust: \($0)\n" } ?? "")
            """, to: "belfry.yaml")
    }

    // MARK: Files

    var plugin: URL { place.file("plugins/gate.so") }

    /// In the place of the former one.
    func install(_ version: String, as name: String = "gate.so") throws {
        try place.installGate(version, as: name)
    }

    /// Changes the file so that it still loads.
    func modify() throws {
        let handle = try FileHandle(forWritingTo: plugin)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("x".utf8))
        try handle.close()
    }

    /// Where code of the plugin has run since the last call.
    func takeInits() -> [String] {
        defer { try? FileManager.default.removeItem(at: place.file("inits")) }
        return (try? place.text(of: "inits"))?.split(separator: "\n").map(String.init) ?? []
    }

    // MARK: Commands

    @discardableResult func belfry(_ arguments: String...) throws -> Command.Result {
        try place.belfry(arguments, input: Data(), environment: ["XDG_CACHE_HOME": place.file("cache").path])
    }

    func run() throws -> Command.Result {
        try place.belfry(
            ["run"], input: Data(Story.signal("09:00:00", "request sale").utf8),
            environment: ["XDG_CACHE_HOME": place.file("cache").path])
    }

    @discardableResult func lock(_ arguments: String...) throws -> Command.Result {
        let result = try place.belfry(["plugins", "lock"] + arguments, input: Data())
        try #require(result.status == 0, "\(result.errors)")
        return result
    }

    /// A key of ssh-keygen; the comment is its name.
    func makeKey(_ name: String, _ kind: String = "ed25519", passphrase: String = "") throws {
        try shell("ssh-keygen -q -t \(kind) -N '\(passphrase)' -C \(name) -f \(name)")
    }

    func publicKey(_ name: String) throws -> String {
        try place.text(of: "\(name).pub").trimmingCharacters(in: .newlines)
    }

    /// Writes the file of those who may sign, a line for each.
    func allow(_ lines: String...) throws {
        try place.write(lines.map { $0 + "\n" }.joined(), to: "allowed_signers")
    }

    /// Signs what `belfry` says of the plugin, with the real ssh-keygen.
    func sign(_ key: String, namespace: String = TrustedPlace.namespace, edit: (String) -> String = { $0 }) throws {
        let manifest = try belfry("plugins", "manifest", "plugins/gate.so")
        try #require(manifest.status == 0, "\(manifest.errors)")
        try place.write(edit(manifest.output), to: "manifest")
        try shell("ssh-keygen -q -Y sign -n \(namespace) -f \(key) < manifest > plugins/gate.so.sig")
    }

    @discardableResult func shell(_ script: String) throws -> String {
        let (status, output) = try place.shell(script)
        try #require(status == 0, "\(script): \(output)")
        return output
    }
}
