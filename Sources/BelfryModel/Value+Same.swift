extension Value {
    /// Whether this is the same value of the same type, all the way down, as conditions have it: 1 and 1.0 are one number.
    public func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
            Int64(exactly: number) == integer
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.map(let left), .map(let right)):
            left.agrees(with: right) { $0.isSame(as: $1) }
        default: self == other
        }
    }
}
