import BelfryModel
import CBelfry

/// One value of a strategy's saved state.
public enum StateValue: Sendable, Hashable {
    case integer(Int64)
    case number(Double)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case instant(Instant)
    case integers([Int64])
}

/// A strategy's state as it is stored: typed values by key, in the order the strategy wrote them.
public struct SavedState: Sendable, Hashable {
    /// The `state_version` of the strategy that wrote it.
    public var version: UInt32
    public var values: [Pair] = []

    public struct Pair: Sendable, Hashable {
        public var key: String
        public var value: StateValue
    }

    public init(version: UInt32) { self.version = version }

    public init(version: UInt32, _ values: KeyValuePairs<String, StateValue>) {
        self.version = version
        self.values = values.map { Pair(key: $0.key, value: $0.value) }
    }

    subscript(key: String) -> StateValue? { values.first { $0.key == key }?.value }
}

/// Lends a saved state to `state_load` through the C reader. Texts and lists live in the arena until it is reset.
package final class StateSource {
    let saved: SavedState
    let arena: Arena

    package init(_ saved: SavedState, arena: Arena) {
        self.saved = saved
        self.arena = arena
    }

    package func withReader<Result>(_ body: (UnsafePointer<belfry_state_reader>) -> Result) -> Result {
        var reader = belfry_state_reader(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            integer: { owner, key, length, out in
                StateSource.read(owner, key, length) {
                    if case .integer(let value) = $0 { out!.pointee = value; return true } else { return false }
                }
            },
            number: { owner, key, length, out in
                StateSource.read(owner, key, length) {
                    if case .number(let value) = $0 { out!.pointee = value; return true } else { return false }
                }
            },
            boolean: { owner, key, length, out in
                StateSource.read(owner, key, length) {
                    if case .bool(let value) = $0 { out!.pointee = value ? 1 : 0; return true } else { return false }
                }
            },
            text: { owner, key, length, out in
                StateSource.read(owner, key, length) { value, arena in
                    guard case .text(let text) = value else { return false }
                    out!.pointee = arena.text(text)
                    return true
                }
            },
            bytes: { owner, key, length, out in
                StateSource.read(owner, key, length) { value, arena in
                    guard case .bytes(let bytes) = value else { return false }
                    let copy = arena.copy(bytes)
                    out!.pointee = belfry_text(
                        bytes: copy.assumingMemoryBound(to: CChar.self), length: UInt64(bytes.count))
                    return true
                }
            },
            instant: { owner, key, length, out in
                StateSource.read(owner, key, length) {
                    if case .instant(let value) = $0 {
                        out!.pointee = value.milliseconds; return true
                    } else {
                        return false
                    }
                }
            },
            integers: { owner, key, length, out, count in
                StateSource.read(owner, key, length) { value, arena in
                    guard case .integers(let list) = value else { return false }
                    out!.pointee = UnsafePointer(arena.copy(list).assumingMemoryBound(to: Int64.self))
                    count!.pointee = UInt64(list.count)
                    return true
                }
            })
        return withExtendedLifetime(self) { body(&reader) }
    }

    private static func read(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64, _ take: (StateValue) -> Bool
    ) -> belfry_bool {
        read(owner, key, length) { value, _ in take(value) }
    }

    private static func read(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64,
        _ take: (StateValue, Arena) -> Bool
    ) -> belfry_bool {
        let source = Unmanaged<StateSource>.fromOpaque(owner!).takeUnretainedValue()
        guard let value = source.saved[string(key, length)] else { return 0 }
        return take(value, source.arena) ? 1 : 0
    }
}

/// Collects what `state_save` writes.
package final class StateDrain {
    package private(set) var saved: SavedState

    package init(version: UInt32) { saved = SavedState(version: version) }

    package func withWriter(_ body: (UnsafePointer<belfry_state_writer>) -> Void) {
        var writer = belfry_state_writer(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            integer: { StateDrain.add($0, $1, $2, .integer($3)) },
            number: { StateDrain.add($0, $1, $2, .number($3)) },
            boolean: { StateDrain.add($0, $1, $2, .bool($3 != 0)) },
            text: { StateDrain.add($0, $1, $2, .text(string($3, $4))) },
            bytes: { StateDrain.add($0, $1, $2, .bytes([UInt8](UnsafeRawBufferPointer(start: $3, count: Int($4))))) },
            instant: { StateDrain.add($0, $1, $2, .instant(Instant(milliseconds: $3))) },
            integers: { StateDrain.add($0, $1, $2, .integers([Int64](UnsafeBufferPointer(start: $3, count: Int($4))))) }
        )
        withExtendedLifetime(self) { body(&writer) }
    }

    private static func add(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64, _ value: StateValue
    ) {
        let drain = Unmanaged<StateDrain>.fromOpaque(owner!).takeUnretainedValue()
        drain.saved.values.append(SavedState.Pair(key: string(key, length), value: value))
    }
}

extension Arena {
    fileprivate func copy<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeMutableRawPointer {
        elements.withUnsafeBytes { bytes in
            let copy = allocate(bytes: max(1, bytes.count))
            if let source = bytes.baseAddress { copy.copyMemory(from: source, byteCount: bytes.count) }
            return copy
        }
    }
}
