import BelfryConfiguration
import BelfryModel
import Foundation

/// The silences that were made while a service runs, in a file beside the configuration, which includes it: so they are in force after a
/// restart, and in every command.
struct SilenceFile {
    let path: String

    init(of configuration: String) { path = ConfigurationFiles.silences(of: configuration) }

    private init(path: String) { self.path = path }

    /// What other replicas over a store had of it. Its name is none that a configuration includes.
    func lastShared(over store: String) -> SilenceFile {
        SilenceFile(path: (path as NSString).deletingPathExtension + ".\(store).shared")
    }

    /// Those in it, in their order; none where there is no file.
    ///
    /// - Throws: a problem if it is none of this program's.
    func read() throws -> [Fields] {
        try bytes.map { try Self.silences(in: $0, at: path) } ?? []
    }

    /// - Throws: a problem if that is none of this program's.
    static func silences(in data: Data, at path: String) throws -> [Fields] {
        if data.isEmpty { return [] }
        guard let silences = Value(json: Array(data)[...])?.map?["silences"]?.list?.compactMap(\.map) else {
            throw Problem(
                .internalServerError, "silences-unreadable", "the file with the silences is not what it should be",
                found: path, fix: "take it away, and make them again")
        }
        return silences
    }

    /// As it is; nil if there is none.
    ///
    /// - Throws: a problem if it cannot be read.
    var bytes: Data? {
        get throws {
            do { return try Data.ifThere(at: path) } catch {
                throw Problem(
                    .internalServerError, "silences-unreadable", "the file with the silences cannot be read",
                    found: "\(path): \(error.fileReason)", fix: "make it a file that this user may read")
            }
        }
    }

    var text: String? { get throws { try bytes.map { String(decoding: $0, as: UTF8.self) } } }

    /// Writes all at once, or nothing.
    func write(_ silences: [Fields]) throws {
        let lines = silences.map { "  " + Value.map($0).json.escapingWhatYAMLRefuses }.joined(separator: ",\n")
        try restore(Data("{\"silences\": [\n\(lines)\n]}\n".utf8))
    }

    /// Takes a change back, unless the file has been changed since: what a command then made is not to be lost.
    ///
    /// - Parameters: what the file was, and what it became; nil: there was no file.
    func restore(_ before: Data?, ifStill after: Data?) throws {
        try AtomicFile.change(path) { if try bytes == after { try restore(before) } }
    }

    /// - Parameter text: nil: there was no file.
    func restore(_ text: Data?) throws {
        do {
            if let text {
                try text.write(to: URL(filePath: path), options: .atomic)
            } else if try bytes != nil {
                try FileManager.default.removeItem(atPath: path)
            }
        } catch {
            throw Problem(
                .internalServerError, "silences-not-written", "the silence cannot be written",
                found: "\(path): \(error.fileReason)",
                fix: "let the service write there")
        }
    }
}

extension String {
    /// JSON may have control characters of Unicode as they are; in YAML they are escaped.
    fileprivate var escapingWhatYAMLRefuses: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.value {
            case 0x7F...0x9F, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
