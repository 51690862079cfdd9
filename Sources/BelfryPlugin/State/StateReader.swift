/// What was saved of a state, by key. Only good during `load`.
///
/// Each function gives nil if the key is not there, or is there with another type.
public struct StateReader {
    let raw: belfry_state_reader

    public func integer(_ key: String) -> Int64? {
        read(key, raw.integer, empty: 0)
    }

    public func number(_ key: String) -> Double? {
        read(key, raw.number, empty: 0)
    }

    public func bool(_ key: String) -> Bool? {
        read(key, raw.boolean, empty: 0).map { $0 != 0 }
    }

    public func instant(_ key: String) -> Instant? {
        read(key, raw.instant, empty: 0).map(Instant.init(milliseconds:))
    }

    public func text(_ key: String) -> String? {
        read(key, raw.text, empty: belfry_text()).flatMap(String.init(belfry:))
    }

    public func bytes(_ key: String) -> [UInt8]? {
        read(key, raw.bytes, empty: belfry_text()).map { Array(UnsafeRawBufferPointer(belfry: $0)) }
    }

    public func integers(_ key: String) -> [Int64]? {
        var numbers: UnsafePointer<Int64>?
        var count: UInt64 = 0
        let found = key.withText { raw.integers(raw.owner, $0.bytes, $0.length, &numbers, &count) }
        return found == 0 ? nil : Array(UnsafeBufferPointer(start: numbers, count: Int(count)))
    }

    // The functions of the contract come as Swift closures here, because a C function type cannot be generic.
    private func read<Out>(
        _ key: String,
        _ function: (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UInt64, UnsafeMutablePointer<Out>?) ->
            belfry_bool,
        empty: Out
    ) -> Out? {
        var out = empty
        let found = key.withText { function(raw.owner, $0.bytes, $0.length, &out) }
        return found == 0 ? nil : out
    }
}
