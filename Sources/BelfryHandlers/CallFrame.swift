import BelfryEngine
import BelfryModel
import CBelfry

/// Memory for what is lent to handlers, used again for one call after the other. It has to stay until the last has returned.
public final class CallMemory {
    let arena = Arena()
    public init() {}
}

/// The arguments of one call, in the memory of a `CallMemory`: each in eight bytes, and a list of where they are.
struct CallFrame {
    /// What `ffi_call` wants: the address of each argument.
    let places: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let arena: Arena
    private let slots: UnsafeMutableRawPointer
    private var count = 0
    private static let slotSize = 8

    init(capacity: Int, memory: CallMemory) {
        arena = memory.arena
        arena.reset()
        slots = arena.allocate(bytes: capacity * Self.slotSize)
        places = arena.allocate(bytes: capacity * MemoryLayout<UnsafeMutableRawPointer?>.stride)
            .bindMemory(to: UnsafeMutableRawPointer?.self, capacity: capacity)
    }

    mutating func append(_ argument: ActionSignature.Argument, action: Fields, payload: Fields) {
        switch argument {
        case .action: append(pointer: arena.value(.map(action)))
        case .payload: append(pointer: arena.value(.map(payload)))
        case .bool(let bool): append(belfry_bool(bool ? 1 : 0))
        case .int(let int): append(int)
        case .double(let double): append(double)
        case .string(let text): append(pointer: copy(Array(text.utf8) + [0]))
        case .bytes(let bytes):
            append(pointer: copy(bytes))
            append(UInt64(bytes.count))
        case .instant(let instant): append(instant.milliseconds)
        }
    }

    mutating func append(pointer: UnsafeRawPointer?) { append(UInt(bitPattern: pointer)) }

    private mutating func append(_ value: some BitwiseCopyable) {
        let slot = slots + count * Self.slotSize
        slot.storeBytes(of: value, as: type(of: value))
        (places + count).initialize(to: slot)
        count += 1
    }

    /// No bytes have an address too.
    private func copy(_ bytes: [UInt8]) -> UnsafeRawPointer {
        let copy = arena.allocate(bytes: max(1, bytes.count), alignment: 1)
        bytes.withUnsafeBytes { if let start = $0.baseAddress { copy.copyMemory(from: start, byteCount: $0.count) } }
        return UnsafeRawPointer(copy)
    }
}
