import Foundation
import Testing

@testable import BelfryConfiguration

@Suite struct AtomicFileTests {
    @Test func `what a killed process of the same number left is replaced`() throws {
        let folder = try Folder(["belfry.yaml": "app: a\n"])
        let left = "belfry.yaml.\(ProcessInfo.processInfo.processIdentifier).tmp"
        try folder.write("app: half", to: left)
        try AtomicFile.write(folder.path("belfry.yaml"), text: "app: b\n")
        #expect(try folder.text(of: "belfry.yaml") == "app: b\n")
        #expect(!FileManager.default.fileExists(atPath: folder.path(left)))
    }

    @Test func `what a killed process of another number left goes with the next change, and nothing else does`() throws
    {
        let files = ["tokens.yaml": "", "tokens.yaml.7.tmp": "", "tokens.yaml.old.tmp": "", "other.yaml.7.tmp": ""]
        let folder = try Folder(files)
        AtomicFile.change(folder.path("tokens.yaml")) {}
        let rest = files.keys.filter { FileManager.default.fileExists(atPath: folder.path($0)) }
        #expect(Set(rest) == ["tokens.yaml", "tokens.yaml.old.tmp", "other.yaml.7.tmp"])
    }

    @Test func `nobody else can read a file while it is written`() throws {
        let folder = try Folder()
        let file = try TemporaryFile(beside: folder.path("belfry.yaml"), permissions: 0o644)
        #expect(try status(of: file.path).st_mode & 0o777 == 0o600)
        try file.write("secret: x\n")
        #expect(try status(of: file.path).st_mode & 0o777 == 0o600)
        try file.finish()
        #expect(try status(of: file.path).st_mode & 0o777 == 0o644)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `what root rewrites keeps its owner and its permissions`() throws {
        let folder = try Folder(["belfry.yaml": "app: a\n"])
        let path = folder.path("belfry.yaml")
        #expect(chmod(path, 0o600) == 0 && chown(path, 1000, 1001) == 0)
        try AtomicFile.replace(path, with: "app: b\n", ifStill: "app: a\n")
        let status = try status(of: path)
        #expect(try folder.text(of: "belfry.yaml") == "app: b\n")
        #expect(status.st_uid == 1000 && status.st_gid == 1001 && status.st_mode & 0o777 == 0o600)
        try AtomicFile.write(path, text: "app: c\n", mode: 0o640)
        let next = try self.status(of: path)
        #expect(next.st_uid == 1000 && next.st_gid == 1001 && next.st_mode & 0o777 == 0o640)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file that cannot keep its owner stays as it is`() throws {
        let folder = try Folder(["belfry.yaml": "app: a\n"])
        let path = folder.path("belfry.yaml")
        #expect(chmod(folder.path(""), 0o777) == 0 && chown(path, 1000, 1001) == 0)
        let failure = try asNobody { #expect(throws: AtomicFile.Failure.self) { try AtomicFile.write(path, text: "") } }
        #expect(
            failure?.description == """
                it belongs to uid 1000 and gid 1001, and what this user writes cannot be given to them: \
                Operation not permitted
                """)
        #expect(failure?.fix == "do this as its owner or as root")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["belfry.yaml"])
        #expect(try folder.text(of: "belfry.yaml") == "app: a\n" && status(of: path).st_uid == 1000)
    }

    private func status(of path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
    }

    /// Runs `body` without the rights over files that root has.
    private func asNobody<Result>(_ body: () throws -> Result) throws -> Result {
        typealias SetUser = @convention(c) (uid_t) -> CInt
        // Of this thread alone, unlike `seteuid`. The header that has it is not part of the imported C library.
        let setUser = unsafeBitCast(try #require(dlsym(nil, "setfsuid")), to: SetUser.self)
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        return try body()
    }
}
