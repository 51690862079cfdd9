import BelfryEngine
import Glibc

/// Where systems keep their zones.
public let systemZoneFolder = "/usr/share/zoneinfo"

extension ZoneDirectory {
    /// The zones that are TZif files below a folder: the one place that reads them, for the host and for tests.
    ///
    /// Each file is read once, when its zone is first asked for. What is no readable TZif file gives no
    /// zone, and neither does a file whose name is none of the tz database's: the same configuration would
    /// decide differently, or be refused, on another machine.
    public convenience init(folder: String) {
        self.init { name in
            isOfTheSystem(name) ? nil : zoneFile(atPath: "\(folder)/\(name)")
        }
    }
}

/// Whether a file of that name is no zone of the database, but what a system keeps beside them: all zones
/// once more, without and with leap seconds, the zone of the machine, and the rules of POSIX texts that have
/// none.
private func isOfTheSystem(_ name: String) -> Bool {
    name == "localtime" || name == "posixrules" || name.hasPrefix("posix/") || name.hasPrefix("right/")
}

/// Real files are below 10 kB; whatever is much larger is something else.
private let sizeLimit = 1 << 20

/// Through links, which zone folders are full of; a directory or a pipe is no zone.
private func zoneFile(atPath path: String) -> [UInt8]? {
    // Never wait for the writer of a named pipe.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= sizeLimit else {
        return nil
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    return pread(descriptor, &bytes, bytes.count, 0) == bytes.count ? bytes : nil
}
