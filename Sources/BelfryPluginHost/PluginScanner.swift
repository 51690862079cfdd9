import BelfryModel
import CBelfry
import CLinux
import Foundation
import Glibc

/// Finds out what a plugin offers, in a child process, so that a broken file cannot take this one down.
///
/// Manifests are cached by content. Refusals are not: many have their cause outside the file (a missing
/// library, a busy machine), and a stale refusal costs its reader more than the few milliseconds of another
/// scan.
public struct PluginScanner: Sendable {
    private let executable: String
    package let admission: PluginAdmission
    private let deadline: Duration
    private let hostVersion: String

    /// - Parameters:
    ///   - executable: run as `executable plugins scan-one FILE`; that subcommand calls `scanInThisProcess`.
    ///   - policy: what it keeps out is not looked at, in no process.
    ///   - hostVersion: a cached manifest of another version of the host is not believed.
    ///   - deadline: how long one plugin may take.
    public init(
        executable: String, copies: PrivateCopies, policy: TrustPolicy = .open, hostVersion: String,
        deadline: Duration = .seconds(5)
    ) {
        self.executable = executable
        admission = PluginAdmission(copies: copies, policy: policy)
        self.hostVersion = hostVersion
        self.deadline = deadline
    }

    /// What the file that the user named offers. A file that is no plugin is refused too.
    public func scan(path: String) throws(PluginRefusal) -> ScannedPlugin {
        guard let file = try PluginFile(path: path, inside: nil) else {
            throw .noPlugin(path)
        }
        try file.checkKind()
        return try scan(admission.admit(file))
    }

    /// Scans a candidate of a search; nil if it is no plugin.
    func scan(_ candidate: PluginSearch.Candidate) throws(PluginRefusal) -> ScannedPlugin? {
        let admitted = try candidate.ifPlugin { file throws(PluginRefusal) in try admission.admit(file) }
        return if let admitted { try scan(admitted) } else { nil }
    }

    /// The folder of this belfry, in which libraries of its own lie beside its plugins.
    var ownFolder: String { PluginFile.folder(ofFile: executable) }

    private func scan(_ admitted: PluginAdmission.Admitted) throws(PluginRefusal) -> ScannedPlugin {
        let manifest = try manifest(of: admitted)
        try admission.confirm(manifest, of: admitted)
        return ScannedPlugin(admitted, manifest)
    }

    private func manifest(of admitted: PluginAdmission.Admitted) throws(PluginRefusal) -> PluginManifest {
        if let manifest = cachedManifest(of: admitted.copy) { return manifest }
        return try scanInChild(copy: admitted.copy, path: admitted.path)
    }

    private func scanInChild(copy: String, path: String) throws(PluginRefusal) -> PluginManifest {
        let result = ChildProcess.run(
            executable, ["plugins", "scan-one", copy], environment: ProcessInfo.processInfo.environment,
            deadline: deadline)
        guard let result else {
            throw PluginRefusal(
                path: path, .noAnswer,
                why: "'\(executable)' cannot be started to scan it: \(lastSystemError())",
                fix: "reinstall belfry")
        }
        do throws(PluginRefusal) {
            let manifest = try Self.manifest(from: result, path: path, deadline: deadline)
            // It may have crashed behind its answer.
            if result.end != .unknown { cache(manifest, of: copy) }
            return manifest
        } catch {
            var refusal = error
            refusal.detail = Self.detail(result.errors)
            throw refusal
        }
    }

    private static func manifest(
        from result: ChildProcess.Result, path: String, deadline: Duration
    ) throws(PluginRefusal) -> PluginManifest {
        let report = "report it to the plugin's author; until then remove the file"
        switch result.end {
        case .overran:
            throw PluginRefusal(
                path: path, .hung, why: "it did not answer within \(deadline) while being scanned",
                fix: report)
        case .stopped:
            throw PluginRefusal(path: path, .hung, why: "it stopped its process while being scanned", fix: report)
        case .signalled(let signal):
            throw PluginRefusal(
                path: path, .crashed, why: "it crashed with signal \(signalName(signal)) while being scanned",
                fix: report)
        case .exited, .unknown:
            switch try? JSONDecoder().decode(ScanAnswer.self, from: Data(result.output)) {
            case .manifest(let manifest): return manifest
            case .refusal(var refusal):
                refusal.path = path
                throw refusal
            case nil:
                let how = if case .exited(let status) = result.end { "with status \(status) " } else { "" }
                let said = result.output.isEmpty ? "without an answer" : "after an answer that is not one"
                throw PluginRefusal(
                    path: path, .noAnswer, why: "the process that scanned it ended \(how)\(said)", fix: report)
            }
        }
    }

    /// The beginning of what the child wrote to its standard error.
    private static func detail(_ bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes.prefix(2_000), as: UTF8.self).trimmingCharacters(
            in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }
}

/// What the scanning child prints: one line of JSON.
enum ScanAnswer: Codable {
    case manifest(PluginManifest)
    case refusal(PluginRefusal)
}

// MARK: - In the child

extension PluginScanner {
    /// The whole work of `belfry plugins scan-one FILE`: loads the file into this process and prints a
    /// manifest or a refusal as JSON. Returns the exit status, 0 or 1.
    ///
    /// Call it in a process that does nothing else and ends right after: the plugin's own prints are sent to
    /// standard error, and an alarm ends the process if its parent is gone and cannot.
    public static func scanInThisProcess(
        path: String, host: UnsafePointer<belfry_host>, output: Int32 = STDOUT_FILENO
    ) -> Int32 {
        alarm(60)
        let answers = answerBesidePlugins(output)
        let answer = scanned(path: path, host: host)
        let line = (try? JSONEncoder().encode(answer)) ?? Data()
        let isWritten = writeAll(Array(line), to: answers)
        return if isWritten, case .manifest = answer { 0 } else { 1 }
    }

    private static func scanned(path: String, host: UnsafePointer<belfry_host>) -> ScanAnswer {
        do throws(PluginRefusal) {
            var roster = PluginRoster()
            let plugin = try PluginLibrary.load(copy: path, path: path, HostPointers(host), roster: &roster)
            return .manifest(PluginManifest(describing: plugin))
        } catch {
            return .refusal(error)
        }
    }
}

// MARK: - The cache

extension PluginScanner {
    /// Beside the copy whose contents it describes.
    private struct CachedScan: Codable {
        var host: String
        var abi: String
        var manifest: PluginManifest
    }

    private func cachedManifest(of copy: String) -> PluginManifest? {
        guard let data = FileManager.default.contents(atPath: copy + ".json"),
            let scan = try? JSONDecoder().decode(CachedScan.self, from: data),
            scan.host == hostVersion, scan.abi == hostABI
        else { return nil }
        return scan.manifest
    }

    private func cache(_ manifest: PluginManifest, of copy: String) {
        let scan = CachedScan(host: hostVersion, abi: hostABI, manifest: manifest)
        guard let data = try? JSONEncoder().encode(scan) else { return }
        // Without a cache everything works, only slower.
        try? admission.copies.write(Array(data), to: copy + ".json", mode: 0o600, for: copy)
    }
}

/// `SIGSEGV` rather than 11.
package func signalName(_ signal: Int32) -> String {
    belfry_signal_abbreviation(signal).map { "SIG" + String(cString: $0) } ?? "\(signal)"
}
