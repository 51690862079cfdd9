import CBelfry
import Foundation

/// The least that a plugin may be given: a host without extensions.
enum TestHost {
    // Constant after this, and never freed, as the contract asks.
    nonisolated(unsafe) static let pointer: UnsafePointer<belfry_host> = {
        let host = UnsafeMutablePointer<belfry_host>.allocate(capacity: 1)
        host.initialize(to: belfry_host())
        host.pointee.abi_major = BELFRY_ABI_MAJOR
        host.pointee.get_extension = { _, _ in nil }
        return UnsafePointer(host)
    }()

    /// The `belfry` that was built with these tests and lies beside them.
    static let executable: String = {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(filePath: tests).deletingLastPathComponent().appending(path: "belfry").path
    }()
}
