import BelfryPostgres
import Foundation

/// Lines beside a journal, under a name of their own: a file of its folder, or rows of its database.
public struct SideLines: Sendable {
    private let location: JournalLocation
    private let name: String

    public init(_ name: String, beside location: JournalLocation) { (self.name, self.location) = (name, location) }

    /// The names of those that are there.
    public static func names(beside location: JournalLocation) throws(JournalError) -> [String] {
        switch location {
        case .memory: return []
        case .folder(let path): return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        case .database(let database):
            let rows = try database.rows("SELECT DISTINCT name FROM belfry_lines", mayTakeLong: true)
            return (0..<rows.count).compactMap { rows.text($0, 0) }
        }
    }

    /// All of them, each with its end; nothing for a journal in memory.
    public var all: Data {
        get throws(JournalError) {
            switch location {
            case .memory: return Data()
            case .folder(let path): return try read(in: path)
            case .database(let database):
                let rows = try database.rows(
                    "SELECT line FROM belfry_lines WHERE name = $1 ORDER BY row", [.text(name)],
                    mayTakeLong: true)
                return Data((0..<rows.count).flatMap { rows.bytes($0, 0) ?? [] })
            }
        }
    }

    private func read(in folder: String) throws(JournalError) -> Data {
        do { return try Data(contentsOf: URL(filePath: "\(folder)/\(name)")) } catch CocoaError.fileReadNoSuchFile {
            return Data()
        } catch {
            throw .system(errno, folder, name)
        }
    }

    /// Adds lines, each with its end, which are on the disk then.
    public func append(_ lines: [[UInt8]]) throws(JournalError) {
        switch location {
        case .memory: break
        case .folder(let path):
            try append(Array(lines.joined()), toFileIn: path)
        case .database(let database):
            try database.change { [name] session throws(PostgresError) in
                for line in lines { try session.add(line, to: name) }
            }
        }
    }

    private func append(_ bytes: [UInt8], toFileIn path: String) throws(JournalError) {
        let descriptor = open("\(path)/\(name)", O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .system(errno, path, name) }
        defer { close(descriptor) }
        let before = lseek(descriptor, 0, SEEK_END)
        // A kill or a power loss may have left half a line, which is not to swallow this one.
        var last = UInt8(ascii: "\n")
        let isTorn = before > 0 && pread(descriptor, &last, 1, before - 1) == 1 && last != UInt8(ascii: "\n")
        let bytes = isTorn ? [UInt8(ascii: "\n")] + bytes : bytes
        let written = write(descriptor, bytes, bytes.count)
        if written == bytes.count, fdatasync(descriptor) == 0 { return }
        // What is written short is so for want of room.
        let code = written >= 0 && written < bytes.count ? ENOSPC : errno
        // Half a line would make nonsense of the next one.
        ftruncate(descriptor, before)
        throw .system(code, path, name)
    }

    /// Keeps those only.
    public func keep(_ lines: [[UInt8]]) throws(JournalError) {
        switch location {
        case .memory: break
        case .folder(let path):
            do { try Data(lines.joined()).write(to: URL(filePath: "\(path)/\(name)"), options: .atomic) } catch {
                throw .system(errno, path, name)
            }
        case .database(let database):
            try database.change { [name] session throws(PostgresError) in
                try session.run("DELETE FROM belfry_lines WHERE name = $1", [.text(name)], mayTakeLong: true)
                for line in lines { try session.add(line, to: name) }
            }
        }
    }
}

extension PostgresSession {
    fileprivate mutating func add(_ line: [UInt8], to name: String) throws(PostgresError) {
        try run("INSERT INTO belfry_lines (name, line) VALUES ($1, $2)", [.text(name), .bytes(line)])
    }
}
