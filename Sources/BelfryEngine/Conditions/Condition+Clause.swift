import BelfryModel

extension Condition {
    /// Something said about properties.
    ///
    /// One class with all parts, where tests are a class for each: it is held against properties of any type, which only
    /// what is not overridden can be compiled for.
    final class Clause: Sendable {
        private let kind: Kind
        private let name: UTF8Text
        private let path: [String]
        private let test: any Test
        private let first: Clause?
        private let second: Clause?

        private enum Kind {
            case everything, property, nested, field, both, either, complement
        }

        private init(
            _ kind: Kind, name: String = "", path: [String] = [], test: any Test = Anything(), _ first: Clause? = nil,
            _ second: Clause? = nil
        ) {
            (self.kind, self.name, self.path, self.test) = (kind, UTF8Text(name), path, test)
            (self.first, self.second) = (first, second)
        }

        /// - Parameter path: has at least one step.
        convenience init(_ path: [String], _ test: any Test) {
            if path.count == 3, path[0] == "region", path[1] == "fields" {
                self.init(.field, name: path[2].lowercased(), path: path, test: test)
            } else {
                self.init(path.count == 1 ? .property : .nested, name: path[0], path: path, test: test)
            }
        }

        static prefix func ! (clause: Clause) -> Clause { Clause(.complement, clause) }

        /// What holds if all of them do.
        static func all(_ clauses: [Clause]) -> Clause { joined(clauses, by: .both) }

        /// What holds if one of them does. Of no clauses it holds, as in GrowthBook: `$or: []` restricts nothing.
        static func any(_ clauses: [Clause]) -> Clause { joined(clauses, by: .either) }

        private static func joined(_ clauses: [Clause], by kind: Kind) -> Clause {
            guard let last = clauses.last else { return Clause(.everything) }
            return clauses.dropLast().reversed().reduce(last) { Clause(kind, $1, $0) }
        }

        func holds(for properties: some ConditionProperties) -> Bool {
            kind == .property ? holdsForProperty(of: properties) : holdsElse(for: properties)
        }

        @inline(never)
        private func holdsElse(for properties: some ConditionProperties) -> Bool {
            switch kind {
            case .everything: true
            case .property: holdsForProperty(of: properties)
            case .nested: test.holds(for: properties.value(at: path) ?? .null)
            case .field: test.holds(for: properties.field(named: name.text, at: path) ?? .null)
            // A kind of two clauses has two, that of one has one.
            case .both: first!.holds(for: properties) && second!.holds(for: properties)
            case .either: first!.holds(for: properties) || second!.holds(for: properties)
            case .complement: !first!.holds(for: properties)
            }
        }

        @inline(__always)
        private func holdsForProperty(of properties: some ConditionProperties) -> Bool {
            properties.passes(test, named: name)
        }
    }
}
