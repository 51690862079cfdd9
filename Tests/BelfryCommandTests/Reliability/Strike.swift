import Foundation
import Testing

/// What befalls a process at one of its calls to the system (`strike.c`).
struct Strike {
    enum How: String, CaseIterable {
        case before, half, after
        /// The disk is full, or broken, from that call on.
        case full = "ENOSPC"
        case broken = "EIO"
        /// From that call on the system reads and writes a few bytes at a time.
        case short
        /// Nothing can be read.
        case unreadable = "READ"
        /// Only what an unprivileged user may open can be opened.
        case asNobody = "NOBODY"
    }

    /// Which of the calls that change files, from 1; 0 for none.
    var call: Int
    var how: How
    /// Only calls on files whose path contains this are counted.
    var file: String

    var environment: [String: String] {
        get throws {
            [
                "LD_PRELOAD": try Self.library.get().path, "STRIKE_AT": "\(call)", "STRIKE_HOW": how.rawValue,
                "STRIKE_FILE": file,
            ]
        }
    }

    private static let library = Result {
        let source = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "strike.c")
        let library = FileManager.default.temporaryDirectory.appending(path: "belfry-strike-\(getpid()).so")
        let compiler = try Process.run(
            URL(filePath: "/usr/bin/env"),
            arguments: ["cc", "-Wall", "-O1", "-shared", "-fPIC", source.path, "-o", library.path])
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0, "strike.c does not compile")
        atexit { unlink(Strike.libraryToRemove) }
        return library
    }

    private static var libraryToRemove: String {
        FileManager.default.temporaryDirectory.appending(path: "belfry-strike-\(getpid()).so").path
    }
}
