/// Where something stands in a configuration: file, line, column and the keys that lead there.
///
/// A member of a mapping stands where its key does, an item of a list where it begins. Shared by reference and linked to the
/// place above, so that a path costs nothing until an error message asks for it.
public final class Place: Sendable {
    package let file: ConfigurationFile
    /// From 1.
    public let line: Int
    /// From 1, counted in Unicode scalars.
    public let column: Int
    let parent: Place?
    let step: Step?

    enum Step: Sendable {
        case key(String)
        case position(Int)

        var text: String {
            switch self {
            case .position(let index): "[\(index)]"
            case .key(let key) where key.isPlainKey: key
            case .key(let key): "'\(key)'"
            }
        }
    }

    init(file: ConfigurationFile, line: Int, column: Int, parent: Place? = nil, step: Step? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.parent = parent
        self.step = step
    }

    /// The path of it, or of something below that is not there, as for display: `campaigns[3].with.cooldown.period`. Within its own
    /// file: an included one counts its items from 0.
    package func path(below rest: [String]) -> String {
        var steps = rest.map { Int($0).map(Step.position) ?? .key($0) }
        var place: Place? = self
        while let current = place {
            if let step = current.step { steps.insert(step, at: 0) }
            place = current.parent
        }
        return steps.reduce(into: "") { path, step in
            if case .key = step, !path.isEmpty { path += "." }
            path += step.text
        }
    }
}

/// A file that was read; `order` is its turn, from 0 for the one named on the command line.
package struct ConfigurationFile: Sendable {
    package let path: String
    let order: Int
}

extension String {
    /// Whether a path may show it without quotes.
    fileprivate var isPlainKey: Bool {
        !isEmpty
            && utf8.allSatisfy {
                $0 > 127 || Character(Unicode.Scalar($0)).isLetter || "0123456789_-$".utf8.contains($0)
            }
    }
}
