import BelfryModel

// GrowthBook orders versions as padded texts, and its test vectors fix what comes of it:
//
//     v1.2.3-rc.1+build5   ->   1 2 3 rc 1     without a leading v and what follows a +, split at . and -
//                          ->   "    1-    2-    3-rc-    1"     digits padded to five places, joined by -
//
// A version of exactly three parts gets a last part ~, the largest ASCII character, so that it comes after its
// own pre-releases.

extension Condition {
    /// A version, ready to be compared.
    struct Version: Sendable, Comparable {
        private let units: [UInt16]

        /// Nil for what is neither text nor number. An empty text is version 0, as in GrowthBook.
        init?(_ value: Value) {
            switch value {
            case .text(let text): self.init(text: text)
            case .integer(let integer): self.init(text: String(integer))
            // ECMAScript writes 2.0 as 2.
            case .number(let number): self.init(text: Int64(exactly: number).map(String.init) ?? String(number))
            default: return nil
            }
        }

        private init(text: String) {
            let parts = Self.parts(of: text.isEmpty ? "0" : text)
            var units: [UInt16] = []
            units.reserveCapacity(6 * (parts.count + 1))
            for (index, part) in parts.enumerated() {
                if index > 0 { units.append(Self.dash) }
                Self.append(part, to: &units)
            }
            if parts.count == 3 { units += [Self.dash, Self.tilde] }
            self.units = units
        }

        /// Whether `value` is a version that stands in that relation to this one.
        func holds(_ relation: Relation, for value: Value) -> Bool {
            guard let other = Version(value) else { return false }
            return relation.holds(other, self)
        }

        static func < (left: Version, right: Version) -> Bool {
            left.units.lexicographicallyPrecedes(right.units)
        }
    }
}

extension Condition.Version {
    private static let dash = UInt16(UInt8(ascii: "-"))
    private static let tilde = UInt16(UInt8(ascii: "~"))
    private static let space = UInt16(UInt8(ascii: " "))

    private static func parts(of text: String) -> [Substring.UTF16View] {
        let unbuilt = text.prefix { $0 != "+" }
        return (unbuilt.first == "v" ? unbuilt.dropFirst() : unbuilt).utf16
            .split(omittingEmptySubsequences: false) { $0 == dash || $0 == UInt16(UInt8(ascii: ".")) }
    }

    private static func append(_ part: Substring.UTF16View, to units: inout [UInt16]) {
        let digits = UInt16(UInt8(ascii: "0"))...UInt16(UInt8(ascii: "9"))
        if !part.isEmpty, part.allSatisfy(digits.contains) {
            units.append(contentsOf: repeatElement(space, count: max(0, 5 - part.count)))
        }
        units.append(contentsOf: part)
    }
}
