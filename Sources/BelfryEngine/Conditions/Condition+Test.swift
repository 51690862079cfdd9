import BelfryModel

// What can be said about one value: an object for each, whose parts are constant, so that to walk down from one that is kept counts no
// references. A list of them would be counted element by element; so two are put together by one, and many by many.

extension Condition {
    /// Something said about one value.
    protocol Test: AnyObject, Sendable {
        /// A missing property comes here as null.
        func holds(for value: Value) -> Bool

        /// The same for a value where it lies in a record: what need not be copied is not.
        func holds(at view: borrowing ValueView) -> Bool
    }

    /// What holds if all of them do.
    static func all(_ tests: [any Test]) -> any Test {
        guard let last = tests.last else { return Anything() }
        return tests.dropLast().reversed().reduce(last) { Both($1, $0) }
    }

    /// What restricts nothing.
    final class Anything: Test {
        func holds(for value: Value) -> Bool { true }
    }

    private final class Both: Test {
        private let first: any Test
        private let second: any Test

        init(_ first: any Test, _ second: any Test) { (self.first, self.second) = (first, second) }

        func holds(for value: Value) -> Bool { first.holds(for: value) && second.holds(for: value) }

        func holds(at view: borrowing ValueView) -> Bool {
            first.holds(at: view) && second.holds(at: view)
        }
    }

    fileprivate final class Complement: Test {
        private let test: any Test

        init(_ test: any Test) { self.test = test }

        func holds(for value: Value) -> Bool { !test.holds(for: value) }
        func holds(at view: borrowing ValueView) -> Bool { !test.holds(at: view) }
    }

    final class Equals: Test {
        private let other: Value
        /// If it is a text.
        private let text: UTF8Text?

        init(_ other: Value) {
            self.other = other
            text = other.text.map { UTF8Text($0) }
        }

        func holds(for value: Value) -> Bool {
            if case .text(let utf8) = value { text?.isSame(as: utf8) ?? false } else { value.isSame(as: other) }
        }

        func holds(at view: borrowing ValueView) -> Bool {
            guard let utf8 = view.utf8 else { return holds(for: view.value) }
            return text?.isSame(as: utf8) ?? false
        }
    }

    /// The same text but for case.
    final class EqualsFolded: Test {
        private let lowercased: String

        init(_ text: String) { lowercased = text.lowercased() }

        func holds(for value: Value) -> Bool { value.text?.lowercased() == lowercased }
    }

    final class IsMember: Test {
        private let members: Members
        /// If they are few texts.
        private let texts: [UTF8Text]
        private let areFewTexts: Bool

        init(_ members: Members) {
            self.members = members
            let few = members.fewTexts
            (texts, areFewTexts) = (few ?? [], few != nil)
        }

        func holds(for value: Value) -> Bool {
            guard areFewTexts, case .text(let text) = value else { return members.contains(value) }
            for index in texts.indices where texts[index].isSame(as: text) { return true }
            return false
        }

        func holds(at view: borrowing ValueView) -> Bool {
            guard areFewTexts, let utf8 = view.utf8 else { return holds(for: view.value) }
            for index in texts.indices where texts[index].isSame(as: utf8) { return true }
            return false
        }
    }

    final class IsOrdered: Test {
        private let relation: Relation
        private let bound: Bound

        init(_ relation: Relation, _ bound: Bound) { (self.relation, self.bound) = (relation, bound) }

        func holds(for value: Value) -> Bool { bound.holds(relation, for: value) }
    }

    final class IsVersion: Test {
        private let relation: Relation
        private let version: Version

        init(_ relation: Relation, _ version: Version) { (self.relation, self.version) = (relation, version) }

        func holds(for value: Value) -> Bool { version.holds(relation, for: value) }
    }

    final class Matches: Test {
        private let pattern: Pattern

        init(_ pattern: Pattern) { self.pattern = pattern }

        // Only text has something to match: a number is not turned into its digits.
        func holds(for value: Value) -> Bool { value.text.map(pattern.matches) ?? false }
    }

    final class Exists: Test {
        func holds(for value: Value) -> Bool { !value.isNull }
    }

    final class IsKind: Test {
        private let kind: Kind

        init(_ kind: Kind) { self.kind = kind }

        func holds(for value: Value) -> Bool { kind == Kind(of: value) }
    }
}

// About lists and mappings.
extension Condition {
    /// The value is a list, and this holds for its length.
    final class Size: Test {
        private let test: any Test

        init(_ test: any Test) { self.test = test }

        func holds(for value: Value) -> Bool {
            value.list.map { test.holds(for: .integer(Int64($0.count))) } ?? false
        }
    }

    /// The value is a list, and each of these holds for at least one element.
    final class SomeElement: Test {
        private let tests: [any Test]

        init(_ tests: [any Test]) { self.tests = tests }

        func holds(for value: Value) -> Bool {
            guard let list = value.list else { return false }
            return tests.allSatisfy { test in list.contains { test.holds(for: $0) } }
        }
    }

    /// The value's own properties meet this.
    final class Properties: Test {
        private let clause: Clause

        init(_ clause: Clause) { self.clause = clause }

        func holds(for value: Value) -> Bool { clause.holds(for: value) }
    }
}

extension Condition.Test {
    func holds(at view: borrowing ValueView) -> Bool { holds(for: view.value) }
}

/// The complement.
prefix func ! (test: any Condition.Test) -> any Condition.Test { Condition.Complement(test) }

extension Condition.Kind {
    init(of value: Value) {
        self =
            switch value {
            case .null: .null
            case .bool: .boolean
            case .integer, .number: .number
            case .text: .string
            case .list: .array
            case .map: .object
            }
    }
}
