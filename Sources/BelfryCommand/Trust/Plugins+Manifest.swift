import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryPluginHost
import Foundation

extension Plugins {
    /// Prints what a signature is over.
    struct Manifest: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "manifest",
            abstract: "Print what is signed of a plugin: its id, version, ABI, platform and digest.",
            discussion: """
                Where belfry.lock is enforced, nothing of the file runs: the lock says what it is. Lock a new file first.

                Example:
                  belfry plugins manifest libPatience.so > manifest
                  ssh-keygen -Y sign -n belfry-plugin@v1 -f KEY < manifest > libPatience.so.sig
                """)

        @Argument(help: "The plugin.") var file: String
        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            print(try options.statement(of: file).text ?? "", terminator: "")
        }
    }

    /// Signs a plugin.
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Sign a plugin with an Ed25519 key of OpenSSH: writes FILE.sig beside it.",
            discussion: """
                The signature is what 'ssh-keygen -Y sign' makes of 'belfry plugins manifest'. For keys with a passphrase, or in \
                an agent, use that.

                Example:
                  belfry plugins sign libPatience.so --key ~/.ssh/id_release
                """)

        @Argument(help: "The plugin.") var file: String
        @Option(help: ArgumentHelp("The private key.", valueName: "file")) var key: String
        @OptionGroup var options: ConfigurationOptions

        func run() throws {
            let signer = try PluginSigner(keyAt: key, for: file)
            let statement = try options.statement(of: file)
            guard let signature = signer.sign(statement) else {
                throw CommandFailure(
                    status: .failed,
                    message: "cannot sign '\(file)'\n  why: libcrypto failed\n  fix: check the system's OpenSSL")
            }
            try AtomicFile.write(signature, to: file + ".sig")
            print(
                "\(file).sig: '\(statement.id)' \(statement.version), \(statement.platform), by \(signer.publicKey.fingerprint)"
            )
        }
    }
}

extension ConfigurationOptions {
    /// What is to be signed of a file, by the lock of the configuration, if there is one.
    fileprivate func statement(of file: String) throws -> PluginStatement {
        guard FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(
                status: .wrongUse,
                message: "cannot read '\(file)'\n  why: there is no such file\n  fix: name a plugin that was built")
        }
        let host = try PluginHost(
            executable: Workspace.executable, environment: ProcessInfo.processInfo.environment
        ) { _ in }
        if isDefaultAndMissing { return try host.scanner(.open).statement(of: file) }
        let trust = WorkspaceTrust(of: try document(), host: host)
        if let failure = trust.failure { throw failure }
        return try host.scanner(trust.policy).statement(of: file)
    }
}
