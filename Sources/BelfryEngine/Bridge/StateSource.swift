import BelfryModel
import CBelfry

/// Lends a saved state to `state_load` through the C reader.
package final class StateSource {
    private let values: [StatePair]
    private let lend: (UnsafeRawBufferPointer) -> UnsafeRawPointer

    /// - Parameter lend: copies texts, bytes and lists to where they may be read until `state_load` returns.
    package init(_ values: [StatePair], lend: @escaping (UnsafeRawBufferPointer) -> UnsafeRawPointer) {
        (self.values, self.lend) = (values, lend)
    }

    /// Texts and lists live in the arena until it is reset.
    convenience init(_ values: [StatePair], arena: Arena) { self.init(values) { arena.copy($0) } }

    package func withReader<Result>(_ body: (UnsafePointer<belfry_state_reader>) -> Result) -> Result {
        var reader = belfry_state_reader(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            integer: { owner, key, length, out in
                StateSource.read(owner, key, length, out) { if case .integer(let value) = $0 { value } else { nil } }
            },
            number: { owner, key, length, out in
                StateSource.read(owner, key, length, out) { if case .number(let value) = $0 { value } else { nil } }
            },
            boolean: { owner, key, length, out in
                StateSource.read(owner, key, length, out) {
                    if case .bool(let value) = $0 { value ? 1 : 0 } else { nil }
                }
            },
            text: { owner, key, length, out in
                StateSource.read(owner, key, length, out) { value, source in
                    if case .text(let text) = value { source.text(Array(text.utf8)) } else { nil }
                }
            },
            bytes: { owner, key, length, out in
                StateSource.read(owner, key, length, out) { value, source in
                    if case .bytes(let bytes) = value { source.text(bytes) } else { nil }
                }
            },
            instant: { owner, key, length, out in
                StateSource.read(owner, key, length, out) {
                    if case .instant(let value) = $0 { value.milliseconds } else { nil }
                }
            },
            integers: { owner, key, length, out, count in
                guard let count else { return 0 }
                return StateSource.read(owner, key, length, out) { value, source in
                    guard case .integers(let list) = value else { return nil }
                    count.pointee = UInt64(list.count)
                    return list.withUnsafeBytes { source.lend($0).assumingMemoryBound(to: Int64.self) }
                }
            })
        return withExtendedLifetime(self) { body(&reader) }
    }

    private func text(_ bytes: [UInt8]) -> belfry_text {
        bytes.withUnsafeBytes {
            belfry_text(bytes: lend($0).assumingMemoryBound(to: CChar.self), length: UInt64($0.count))
        }
    }

    private static func read<Out>(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64,
        _ out: UnsafeMutablePointer<Out>?, _ take: (StateValue) -> Out?
    ) -> belfry_bool {
        read(owner, key, length, out) { value, _ in take(value) }
    }

    private static func read<Out>(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64,
        _ out: UnsafeMutablePointer<Out>?, _ take: (StateValue, StateSource) -> Out?
    ) -> belfry_bool {
        guard let owner, let out, let key = belfry_text(bytes: key, length: length).checked else { return 0 }
        let source = Unmanaged<StateSource>.fromOpaque(owner).takeUnretainedValue()
        guard let value = source.values[key], let taken = take(value, source) else { return 0 }
        out.pointee = taken
        return 1
    }
}

/// Collects what `state_save` writes.
package final class StateCollector {
    package private(set) var values: [StatePair] = []
    /// The first thing that made no sense, a part of a sentence about the strategy.
    package private(set) var nonsense: String?
    /// The keys so far, once there are many of them.
    private var keys: Set<SubjectKey> = []
    /// So many keys are sooner compared than hashed.
    private static let few = 16

    package init() {}

    package func withWriter(_ body: (UnsafePointer<belfry_state_writer>) -> Void) {
        var writer = belfry_state_writer(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            integer: { StateCollector.of($0)?.add($1, $2, .integer($3)) },
            number: { StateCollector.of($0)?.add($1, $2, .number($3)) },
            boolean: { StateCollector.of($0)?.add($1, $2, .bool($3 != 0)) },
            text: { StateCollector.of($0)?.add($1, $2, belfry_text(bytes: $3, length: $4).checked.map { .text($0) }) },
            bytes: { StateCollector.of($0)?.add($1, $2, StateCollector.series($3, $4).map { .bytes($0) }) },
            instant: { StateCollector.of($0)?.add($1, $2, .instant(Instant(milliseconds: $3))) },
            integers: { StateCollector.of($0)?.add($1, $2, StateCollector.series($3, $4).map { .integers($0) }) })
        withExtendedLifetime(self) { body(&writer) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> StateCollector? {
        owner.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// Nil for what has no address, or is longer than a state may be.
    fileprivate static func series<Element: BitwiseCopyable>(_ start: UnsafeRawPointer?, _ count: UInt64) -> [Element]?
    {
        guard count > 0 else { return [] }
        guard let start, count <= 16 << 20 else { return nil }
        return Array(
            UnsafeBufferPointer(start: start.assumingMemoryBound(to: Element.self), count: Int(count)))
    }

    private func add(_ key: UnsafePointer<CChar>?, _ length: UInt64, _ value: StateValue?) {
        guard let key = belfry_text(bytes: key, length: length).checked else {
            nonsense = nonsense ?? "it saved a value under a key that is no UTF-8 text"
            return
        }
        guard let value else {
            nonsense = nonsense ?? "it saved a value of '\(key)' that makes no sense"
            return
        }
        // Collected all the same: `plugins check` shows what was written.
        if isKnown(key) {
            nonsense = nonsense ?? "it saved '\(key)' twice; a state has each key once, so write it once"
        }
        values.append(StatePair(key: key, value: value))
    }

    private func isKnown(_ key: String) -> Bool {
        if values.count < Self.few { return values.contains { $0.key.isSameText(as: key) } }
        if keys.isEmpty { keys = Set(values.map { SubjectKey($0.key) }) }
        return !keys.insert(SubjectKey(key)).inserted
    }
}

extension belfry_text {
    /// A text that the other side handed over; nil if it has no address, is longer than 16 MiB, or is no UTF-8.
    var checked: String? {
        guard let bytes, length <= 16 << 20 else { return nil }
        return String(validating: UnsafeRawBufferPointer(start: bytes, count: Int(length)), as: UTF8.self)
    }
}
