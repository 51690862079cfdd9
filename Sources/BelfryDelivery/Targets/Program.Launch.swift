import Foundation
import Glibc

extension Program {
    /// What is started, and how it is spoken of.
    struct Launch: Sendable {
        /// For messages.
        var address: String
        var executable: String
        var arguments: [String]
        var environment: [String: String]
        /// Where it runs.
        var folder: String
        /// What it is told first; it answers with `ok`, or says why it cannot begin.
        var greeting: [UInt8]?
        /// Says how it ended, by the status of `waitpid`. Nil: its end is just that.
        var end: (@Sendable (Int32) -> String)?

        func words(_ status: Int32?) -> String? { status.flatMap { status in end.map { $0(status) } } }
    }
}

extension Program.Launch {
    /// - Parameters:
    ///   - command: a program, relative to the folder if it has a slash, else looked for in PATH; and its arguments.
    ///   - folder: where it runs.
    init(_ command: [String], in folder: String) {
        self.init(
            // An argument may be a secret.
            address: command[0], executable: Self.executable(command[0], in: folder),
            arguments: Array(command.dropFirst()), environment: ProcessInfo.processInfo.environment, folder: folder)
    }

    private static func executable(_ name: String, in folder: String) -> String {
        if name.hasPrefix("/") { return name }
        if name.contains("/") { return "\(folder)/\(name)" }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let places = folders.split(separator: ":").map { "\($0)/\(name)" }
        return places.first { access($0, X_OK) == 0 } ?? name
    }
}
