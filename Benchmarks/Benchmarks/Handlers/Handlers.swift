import BelfryHandlers
import BelfryModel
import Benchmark
import CBelfry
import CFFI
import CHandlers

/// The same handler with the same arguments, called in three ways: as C calls it, through libffi, and as the host does it,
/// which checks and converts the fields of an action besides. A thousand calls each time, because one is too short to measure.
let benchmarks: @Sendable () -> Void = {
    var configuration = Benchmark.Configuration()
    configuration.metrics = [.wallClock]
    configuration.scalingFactor = .kilo
    configuration.maxDuration = .seconds(3)
    Benchmark.defaultConfiguration = configuration

    Benchmark("direct call") { benchmark in
        var result = belfry_action_result()
        "A-7".withCString { sku in
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { blackHole(view_product(sku, 12.5, 2, &result)) }
            benchmark.stopMeasurement()
        }
    }

    Benchmark("libffi call") { benchmark in
        var types: [UnsafeMutablePointer<ffi_type>?] = [
            cffi_pointer(), cffi_double(), cffi_sint64(), cffi_pointer(),
        ]
        var interface = ffi_cif()
        ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 4, cffi_sint32(), &types)
        let function = unsafeBitCast(viewProduct, to: belfry_action_function.self)
        withArguments { places in
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations {
                var status: ffi_arg = 0
                ffi_call(&interface, function, &status, places)
                blackHole(status)
            }
            benchmark.stopMeasurement()
        }
    }

    Benchmark("NativeHandler, fields checked and converted") { benchmark in
        var table = belfry_action()
        table.function = unsafeBitCast(viewProduct, to: belfry_action_function.self)
        let signature = try ActionSignature(parsing: "viewProduct(sku: string, price: double, quantity: int = 1)")
        let handler = NativeHandler(table, signature: signature)
        let action = Fields([("type", "viewProduct"), ("sku", "A-7"), ("price", 12.5), ("quantity", 2)])
        let memory = CallMemory()
        benchmark.startMeasurement()
        for _ in benchmark.scaledIterations {
            blackHole(handler.call(action: action, payload: Fields(), in: memory))
        }
        benchmark.stopMeasurement()
    }
}

private let viewProduct:
    @convention(c) (
        UnsafePointer<CChar>?, Double, Int64, UnsafePointer<belfry_action_result>?
    ) -> belfry_status = view_product

/// The arguments of the direct call, as libffi wants them: the address of each.
private func withArguments(_ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Void) {
    var result = belfry_action_result()
    "A-7".withCString { sku in
        withUnsafePointer(to: &result) { result in
            let slots = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)
            let places = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 4)
            places.initialize(from: (0..<4).map { slots + 8 * $0 }, count: 4)
            slots.storeBytes(of: UInt(bitPattern: sku), as: UInt.self)
            slots.storeBytes(of: 12.5, toByteOffset: 8, as: Double.self)
            slots.storeBytes(of: 2, toByteOffset: 16, as: Int64.self)
            slots.storeBytes(of: UInt(bitPattern: result), toByteOffset: 24, as: UInt.self)
            body(places)
            places.deallocate()
            slots.deallocate()
        }
    }
}
