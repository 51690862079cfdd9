/// Saves a state by key, each key once; nil writes nothing. Only good during `save`.
public struct StateWriter {
    let raw: belfry_state_writer

    public func set(_ key: String, _ value: Int64?) {
        guard let value else { return }
        key.withText { raw.integer(raw.owner, $0.bytes, $0.length, value) }
    }

    public func set(_ key: String, _ value: Double?) {
        guard let value else { return }
        key.withText { raw.number(raw.owner, $0.bytes, $0.length, value) }
    }

    public func set(_ key: String, _ value: Bool?) {
        guard let value else { return }
        key.withText { raw.boolean(raw.owner, $0.bytes, $0.length, value ? 1 : 0) }
    }

    public func set(_ key: String, _ value: Instant?) {
        guard let value else { return }
        key.withText { raw.instant(raw.owner, $0.bytes, $0.length, value.milliseconds) }
    }

    public func set(_ key: String, _ value: String?) {
        guard let value else { return }
        key.withText { key in
            value.withText { raw.text(raw.owner, key.bytes, key.length, $0.bytes, $0.length) }
        }
    }

    public func set(_ key: String, _ value: [UInt8]?) {
        guard let value else { return }
        key.withText { key in
            value.withUnsafeBytes { raw.bytes(raw.owner, key.bytes, key.length, $0.baseAddress, UInt64($0.count)) }
        }
    }

    public func set(_ key: String, _ value: [Int64]?) {
        guard let value else { return }
        key.withText { key in
            value.withUnsafeBufferPointer {
                raw.integers(raw.owner, key.bytes, key.length, $0.baseAddress, UInt64($0.count))
            }
        }
    }
}
