import BelfryModel
import CLinux
import Foundation
import Synchronization

/// Standard error, for people; standard output is for what was asked for.
enum Console {
    /// The first error of writing what was printed, which the stream does not keep; 0: there was none.
    private static let loss = Mutex<Int32>(0)

    /// After what was printed before, also where both go to one place. A standard error that is closed does not end the process.
    static func say(_ text: String) {
        flush()
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Writes what is still in the buffer of standard output; what cannot be written is not lost without a word.
    static func finish() throws(CommandFailure) {
        // What was said in between has had it written before.
        guard !flush() || belfry_has_lost_output() != 0 else { return }
        let loss = loss.withLock(\.self)
        throw unwritten(loss != 0 ? String(cString: strerror(loss)) : "what was printed before could not be written")
    }

    /// - Returns: whether all of it was written.
    @discardableResult private static func flush() -> Bool {
        guard fflush(nil) != 0 else { return true }
        let error = errno
        loss.withLock { if $0 == 0 { $0 = error } }
        return false
    }

    /// Prints lines that are wanted now, and not when the command ends.
    static func printNow(_ lines: some Sequence<String>) throws(CommandFailure) {
        for line in lines {
            Swift.print(line)
            // A buffer that is full is written there and then, and nothing keeps why that fails.
            if belfry_has_lost_output() != 0 { throw unwritten(String(cString: strerror(errno))) }
        }
        try finish()
    }

    private static func unwritten(_ why: String) -> CommandFailure {
        CommandFailure(
            status: .failed,
            message:
                "cannot write to standard output\n  why: \(why)\n  fix: check the file, the disk or the program that reads it"
        )
    }

    static func warn(_ text: String) { say("warning: \(text)") }

    /// Prints a value as JSON, for machines.
    static func print(json value: Value) {
        Swift.print(value.json)
    }
}
