import Foundation

/// The plugins of `Tests/Misbehaving`, compiled when first needed.
enum Misbehaving {
    private static let tests = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let sources = tests.appending(path: "Misbehaving")
    private static let headers = tests.deletingLastPathComponent().appending(path: "Sources/CBelfry/include")

    private static let folder = FileManager.default.temporaryDirectory.appending(
        path: "belfry-misbehaving-\(getpid())")

    /// The folder of all of them, or why they could not be compiled. It goes when the tests end.
    private static let compiled = Result<URL, any Error> {
        atexit { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for source in try FileManager.default.contentsOfDirectory(
            at: sources, includingPropertiesForKeys: nil)
        where source.pathExtension == "c" {
            try compile(
                source, to: folder.appending(path: source.deletingPathExtension().lastPathComponent + ".so"))
        }
        return folder
    }

    private static func compile(_ source: URL, to object: URL) throws {
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "cc", "-shared", "-fPIC", "-fvisibility=hidden", "-I", headers.path, source.path, "-o",
            object.path,
        ]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else { throw CompilerFailure(source: source.lastPathComponent) }
    }

    struct CompilerFailure: Error { let source: String }

    static func file(_ name: String) throws -> URL { try compiled.get().appending(path: name + ".so") }
}
