import BelfryEngine
import BelfryModel
import CBelfry

/// Lends what was saved to `state_load`. Texts, bytes and lists are lent until it returns.
final class SavedSource {
    private let saved: SavedState
    private let lent: LentMemory?
    private let arena = Arena()

    init(_ saved: SavedState, _ lent: LentMemory?) {
        self.saved = saved
        self.lent = lent
    }

    func withReader<Result>(_ body: (UnsafePointer<belfry_state_reader>) -> Result) -> Result {
        var reader = belfry_state_reader(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            integer: { owner, key, length, out in
                guard case .integer(let value) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = value
                return 1
            },
            number: { owner, key, length, out in
                guard case .number(let value) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = value
                return 1
            },
            boolean: { owner, key, length, out in
                guard case .bool(let value) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = value ? 1 : 0
                return 1
            },
            text: { owner, key, length, out in
                guard case .text(let text) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = SavedSource.of(owner).lend(bytes: Array(text.utf8))
                return 1
            },
            bytes: { owner, key, length, out in
                guard case .bytes(let bytes) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = SavedSource.of(owner).lend(bytes: bytes)
                return 1
            },
            instant: { owner, key, length, out in
                guard case .instant(let value) = SavedSource.value(owner, key, length) else { return 0 }
                out!.pointee = value.milliseconds
                return 1
            },
            integers: { owner, key, length, out, count in
                guard case .integers(let list) = SavedSource.value(owner, key, length) else { return 0 }
                let copy = list.withUnsafeBytes { SavedSource.of(owner).lend($0, "a list of the saved state") }
                out!.pointee = copy.assumingMemoryBound(to: Int64.self)
                count!.pointee = UInt64(list.count)
                return 1
            })
        return withExtendedLifetime(self) { body(&reader) }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> SavedSource {
        Unmanaged.fromOpaque(owner!).takeUnretainedValue()
    }

    private static func value(
        _ owner: UnsafeMutableRawPointer?, _ key: UnsafePointer<CChar>?, _ length: UInt64
    ) -> StateValue? {
        let key = belfry_text(bytes: key, length: length).string
        return of(owner).saved.values.first { $0.key == key }?.value
    }

    private func lend(bytes: [UInt8]) -> belfry_text {
        let copy = bytes.withUnsafeBytes { lend($0, "a text of the saved state") }
        return belfry_text(bytes: copy.assumingMemoryBound(to: CChar.self), length: UInt64(bytes.count))
    }

    private func lend(_ bytes: UnsafeRawBufferPointer, _ name: String) -> UnsafeRawPointer {
        if let lent { return lent.lend(bytes, alignment: 8, name) }
        let copy = arena.allocate(bytes: max(1, bytes.count))
        if let source = bytes.baseAddress { copy.copyMemory(from: source, byteCount: bytes.count) }
        return UnsafeRawPointer(copy)
    }
}
