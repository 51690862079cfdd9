import BelfryStore
import CLinux
import Glibc

/// How much of a store is on a disk of this machine.
enum StoredBytes {
    /// By part: records, and the journal; nothing for what is in memory, or in the database of a server.
    static func parts(of location: StoreLocation) -> [(part: String, bytes: Int)] {
        guard let journal = location.journalPath else { return [] }
        let journalBytes = files(in: journal).reduce(0) { $0 + size(of: $1) }
        return [("records", recordBytes(of: location)), ("journal", journalBytes)]
    }

    private static func recordBytes(of location: StoreLocation) -> Int {
        switch location.behindLinks {
        case .memory, .postgres: 0
        case .sqlite(let path): ["", "-wal", "-shm"].reduce(0) { $0 + size(of: path + $1) }
        }
    }

    /// 0 for what is not there.
    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    private static func files(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var paths: [String] = []
        while let name = belfry_next_name(folder).map({ String(cString: $0) }) {
            if !name.hasPrefix(".") { paths.append("\(path)/\(name)") }
        }
        return paths
    }
}
