import Glibc

/// The memory of a process in bytes (proc_pid_statm(5)); zeros where the system does not say.
package struct ProcessMemory {
    package private(set) var (virtual, resident) = (0, 0)
    /// What it has for itself: without what is mapped from files, or shared with other processes.
    private(set) var own = 0

    /// - Parameter folder: of the process in `/proc`.
    package init(in folder: String = "/proc/self") {
        let pages = textOfSystem(at: "\(folder)/statm").split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3 else { return }
        let size = Int(getpagesize())
        (virtual, resident, own) = (pages[0] * size, pages[1] * size, (pages[1] - pages[2]) * size)
    }
}

/// The first 1024 bytes of a file of `/proc`; empty if it cannot be read.
func textOfSystem(at path: String) -> String {
    guard let stream = fopen(path, "r") else { return "" }
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = fread(&bytes, 1, bytes.count, stream)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
}
