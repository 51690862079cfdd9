import BelfryModel

/// One value of a strategy's state.
public enum StateValue: Sendable, Hashable {
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case instant(Instant)
    case duration(Duration)
    case integers([Int64])
    case instants([Instant])
}

/// A value of a state under its key. A list of them is in the order in which they were written or declared.
public struct StatePair: Sendable, Hashable {
    public var key: String
    public var value: StateValue

    public init(key: String, value: StateValue) { (self.key, self.value) = (key, value) }
}

extension [StatePair] {
    public subscript(key: String) -> StateValue? { first { $0.key.isSameText(as: key) }?.value }
}

/// What a strategy that saves itself has saved.
public struct SavedState: Sendable, Hashable {
    /// The `state_version` of the strategy that wrote it.
    public var version: UInt32
    public var values: [StatePair] = []

    public init(version: UInt32) { self.version = version }

    public init(version: UInt32, _ values: KeyValuePairs<String, StateValue>) {
        self.version = version
        self.values = values.map { StatePair(key: $0.key, value: $0.value) }
    }
}

extension StateValue {
    /// As JSON: bytes in hexadecimal, instants as RFC 3339, durations as in a configuration.
    public var value: Value {
        switch self {
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        case .text(let text): .text(text)
        case .bytes(let bytes): .text(bytes.hexadecimal)
        case .instant(let instant): .text(instant.description)
        case .duration(let duration): .text(duration.description)
        case .integers(let integers): .list(integers.map { .integer($0) })
        case .instants(let instants): .list(instants.map { .text($0.description) })
        }
    }

    /// For people.
    public var text: String { value.text ?? value.json }
}

// MARK: As a strategy that saves and loads itself has written them

extension ByteWriter {
    mutating func stateValues(_ values: [StatePair]) {
        list(values) {
            $0.text($1.key)
            $0.stateValue($1.value)
        }
    }

    private mutating func stateValue(_ value: StateValue) {
        switch value {
        case .integer(let integer):
            byte(0)
            signed(integer)
        case .number(let double):
            byte(1)
            number(double)
        case .bool(let flag):
            byte(2)
            bool(flag)
        case .text(let string):
            byte(3)
            text(string)
        case .bytes(let data):
            byte(4)
            list(data) { $0.byte($1) }
        case .instant(let time):
            byte(5)
            instant(time)
        case .integers(let integers):
            byte(6)
            list(integers) { $0.signed($1) }
        case .duration(let duration):
            byte(7)
            signed(duration.milliseconds)
        case .instants(let instants):
            byte(8)
            list(instants) { $0.instant($1) }
        }
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func stateValues() throws(Damage) -> [StatePair] {
        var values: [StatePair] = []
        for _ in 0..<(try count()) {
            values.append(StatePair(key: try text(), value: try stateValue()))
        }
        return values
    }

    @_lifetime(self: copy self)
    private mutating func stateValue() throws(Damage) -> StateValue {
        switch try byte() {
        case 0: .integer(try signed())
        case 1: .number(try number())
        case 2: .bool(try bool())
        case 3: .text(try text())
        case 4: .bytes(try octets())
        case 5: .instant(try instant())
        case 6: .integers(try integers())
        case 7: .duration(Duration(milliseconds: try signed()))
        case 8: .instants(try integers().map { Instant(milliseconds: $0) })
        default: throw damage
        }
    }

    @_lifetime(self: copy self)
    private mutating func octets() throws(Damage) -> [UInt8] {
        let range = try skip(try count())
        return bytes(in: range).withUnsafeBytes { Array($0) }
    }

    @_lifetime(self: copy self)
    private mutating func integers() throws(Damage) -> [Int64] {
        var integers: [Int64] = []
        for _ in 0..<(try count()) { integers.append(try signed()) }
        return integers
    }
}
