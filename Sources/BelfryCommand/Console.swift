import BelfryHost
import BelfryModel
import Foundation

/// Standard error, for people; standard output is for what was asked for.
enum Console {
    static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    static func warn(_ text: String) { say("warning: \(text)") }

    /// Prints a value as JSON, for machines.
    static func print(json value: Value) {
        Swift.print(value.json)
    }
}
