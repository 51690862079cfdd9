import ArgumentParser
import BelfryModel

/// What helps with arguments that the parser refuses, beyond what it says: the command that was meant, or an example of it.
struct WrongUse {
    /// The command that the arguments name, as far as they name one.
    private var command: any ParsableCommand.Type = Belfry.self
    private var path = ["belfry"]
    /// What stands behind that.
    private var rest: ArraySlice<String>

    init(_ arguments: [String]) {
        rest = arguments[...]
        while let next = rest.first, let named = command.visible.first(where: { $0.name == next }) {
            command = named
            path.append(rest.removeFirst())
        }
    }

    /// A line for standard error; nil if nothing is known.
    ///
    /// - Parameter message: of the parser.
    func hint(for message: String) -> String? {
        if let word = rest.first, !word.hasPrefix("-"), !command.visible.isEmpty { return correction(of: word) }
        return message.hasPrefix("Missing") ? command.example.map { "  such as: \($0)" } : nil
    }

    private func correction(of word: String) -> String? {
        if let near = nearestMatch(to: word, among: command.visible.map { $0.name }) {
            return "  fix: did you mean '\(line(path + [near]))'?"
        }
        let others = Belfry.self.paths(to: word)
        guard (1...3).contains(others.count) else { return nil }
        return "  fix: did you mean \(others.map { "'\(line(["belfry"] + $0))'" }.joined(separator: " or "))?"
    }

    private func line(_ path: [String]) -> String { (path + rest.dropFirst()).joined(separator: " ") }
}

extension ParsableCommand {
    fileprivate static var name: String { configuration.commandName ?? "" }

    fileprivate static var visible: [any ParsableCommand.Type] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }
    }

    /// The ways to all commands of that name below this one.
    fileprivate static func paths(to name: String) -> [[String]] {
        visible.flatMap { command in
            command.name == name ? [[name]] : command.paths(to: name).map { [command.name] + $0 }
        }
    }

    /// The first of those in its help.
    fileprivate static var example: String? {
        configuration.discussion.split(separator: "\n").lazy.map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("belfry ") }.map(String.init)
    }
}
