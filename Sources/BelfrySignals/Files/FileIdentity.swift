import Glibc

/// Which file it is, whatever its name.
package struct FileIdentity: Equatable {
    private let device: UInt
    private let inode: UInt
    /// Whether it is no pipe, device or folder.
    package let isRegular: Bool

    /// Nil if it cannot be found out.
    package init?(_ descriptor: Int32) { self.init { fstat(descriptor, &$0) } }

    /// Nil if nothing is there.
    package init?(_ path: String) { self.init { stat(path, &$0) } }

    private init?(_ look: (inout stat) -> Int32) {
        var status = stat()
        guard look(&status) == 0 else { return nil }
        (device, inode, isRegular) = (UInt(status.st_dev), UInt(status.st_ino), status.st_mode & S_IFMT == S_IFREG)
    }
}
