import BelfryModel
import CBelfry

extension ByteWriter {
    /// The values of a live state, as its strategy writes them: straight into the bytes, with no `SavedState` in between.
    ///
    /// - Returns: how many there are.
    mutating func state(of live: LiveState) -> Int {
        let place = count
        byte(0)
        let values = withUnsafeMutablePointer(to: &self) { bytes in
            var target = StateTarget(bytes: bytes)
            return withUnsafeMutablePointer(to: &target) { target in
                var writer = StateTarget.writer(for: target)
                live.save(to: &writer)
                return target.pointee.count
            }
        }
        setLength(values, at: place)
        return values
    }

    mutating func state(_ value: StateValue) {
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
        }
    }

    /// A text of a plugin; bytes that are no UTF-8 are replaced.
    fileprivate mutating func text(_ bytes: UnsafePointer<CChar>?, _ length: UInt64) {
        let utf8 = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(length))
        if utf8.allSatisfy({ $0 < 0x80 }) {
            unsigned(UInt64(utf8.count))
            raw(utf8)
        } else {
            text(string(bytes, length))
        }
    }
}

/// Where the values of one state go.
private struct StateTarget {
    let bytes: UnsafeMutablePointer<ByteWriter>
    var count = 0

    static func writer(for target: UnsafeMutablePointer<StateTarget>) -> belfry_state_writer {
        belfry_state_writer(
            owner: UnsafeMutableRawPointer(target),
            integer: { StateTarget.add($0, $1, $2)?.pointee.state(.integer($3)) },
            number: { StateTarget.add($0, $1, $2)?.pointee.state(.number($3)) },
            boolean: { StateTarget.add($0, $1, $2)?.pointee.state(.bool($3 != 0)) },
            text: { owner, key, length, text, textLength in
                guard let bytes = StateTarget.add(owner, key, length) else { return }
                bytes.pointee.byte(3)
                bytes.pointee.text(text, textLength)
            },
            bytes: { owner, key, length, data, count in
                guard let bytes = StateTarget.add(owner, key, length) else { return }
                bytes.pointee.byte(4)
                bytes.pointee.unsigned(count)
                bytes.pointee.raw(UnsafeRawBufferPointer(start: data, count: Int(count)))
            },
            instant: { StateTarget.add($0, $1, $2)?.pointee.state(.instant(Instant(milliseconds: $3))) },
            integers: { owner, key, length, integers, count in
                guard let bytes = StateTarget.add(owner, key, length) else { return }
                bytes.pointee.byte(6)
                bytes.pointee.list(UnsafeBufferPointer(start: integers, count: Int(count))) { $0.signed($1) }
            })
    }

    /// Begins a value with its key.
    private static func add(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64
    ) -> UnsafeMutablePointer<ByteWriter>? {
        guard let target = owner?.assumingMemoryBound(to: StateTarget.self) else { return nil }
        target.pointee.count += 1
        target.pointee.bytes.pointee.text(key, length)
        return target.pointee.bytes
    }
}
