import BelfryModel
import CBelfry
import CFFI

/// How the function of a signature is called: the arguments it takes in C, as libffi wants to know them. The only place that
/// calls libffi.
final class CallInterface: Sendable {
    /// How many arguments the function takes, the result among them.
    let count: Int
    private let interface: Constant<UnsafeMutablePointer<ffi_cif>>
    private let types: Constant<UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>>

    init(of signature: ActionSignature) {
        let list = signature.parameters.flatMap(\.types) + [cffi_pointer()]
        count = list.count
        let types = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: count)
        types.initialize(from: list, count: count)
        let interface = UnsafeMutablePointer<ffi_cif>.allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        let status = ffi_prep_cif(interface, FFI_DEFAULT_ABI, UInt32(count), cffi_sint32(), types)
        (self.interface, self.types) = (Constant(interface), Constant(types))
        precondition(status == FFI_OK, "libffi knows all types of a signature")
    }

    deinit {
        interface.pointer.deallocate()
        types.pointer.deallocate()
    }

    /// Calls `function`, whose type has to be that of the signature.
    func call(_ function: belfry_action_function, _ frame: CallFrame) -> belfry_status {
        // libffi widens what is narrower than a register.
        var status: ffi_arg = 0
        ffi_call(interface.pointer, function, &status, frame.places)
        return belfry_status(truncatingIfNeeded: status)
    }
}

extension ActionSignature.Parameter {
    fileprivate var types: [UnsafeMutablePointer<ffi_type>?] {
        switch self {
        case .action, .payload: [cffi_pointer()]
        case .field(let field):
            switch field.type {
            case .bool: [cffi_uint32()]
            case .int, .instant: [cffi_sint64()]
            case .double: [cffi_double()]
            case .string: [cffi_pointer()]
            case .bytes: [cffi_pointer(), cffi_uint64()]
            }
        }
    }
}
