import Testing

@testable import BelfryPlugin

/// A Swift function held against the signature it is registered with.
@Suite struct TypedActionTests {
    private typealias Result = ActionResult
    private typealias Product = @convention(c) (UnsafePointer<CChar>, Double, Int64, Result) -> belfry_status
    private let product: Product = { _, _, _, _ in BELFRY_OK }

    @Test func `the type is the name of the signature`() {
        let action = Action(
            signature: "view(sku: string, price: double, n: int = 1)", summary: "shows it", handler: product)
        #expect(action.type == "view")
        #expect(action.signature == "view(sku: string, price: double, n: int = 1)")
        #expect(action.mismatch == nil)
    }

    @Test func `every type has its Swift type`() {
        let all:
            @convention(c) (
                belfry_bool, Int64, Double, UnsafePointer<CChar>?, UnsafePointer<UInt8>, UInt64, Int64,
                UnsafePointer<belfry_value>,
                UnsafePointer<belfry_value>?, Result?
            ) -> belfry_status = { _, _, _, _, _, _, _, _, _, _ in BELFRY_OK }
        let signature = "all(a: bool, b: int, c: double, d: string, e: bytes, f: instant, action, payload)"
        #expect(Action(signature: signature, summary: "", handler: all).mismatch == nil)
        let short: @Sendable @convention(c) (Int, Result) -> Int32 = { _, _ in 0 }
        #expect(Action(signature: "short(n: int)", summary: "", handler: short).mismatch == nil)
    }

    @Test(arguments: [
        (
            "view(sku: string, price: double)",
            "the handler of 'view' takes 4 arguments; its signature stands for 3, the result being the last"
        ),
        (
            "view(sku: string, price: int, n: int)",
            "the handler of 'view' takes Swift.Double for 'price'; its signature stands for Swift.Int64"
        ),
        (
            "view(sku: string, price: double, n: bool)",
            "the handler of 'view' takes Swift.Int64 for 'n'; its signature stands for Swift.UInt32"
        ),
        (
            "view(sku: bytes, n: int)",
            "the handler of 'view' takes Swift.UnsafePointer<Swift.Int8> for 'sku'; its signature stands for Swift.UnsafePointer<Swift.UInt8>"
        ),
        (
            "(sku: string, price: double, n: int)",
            "the signature '(sku: string, price: double, n: int)' has no action type in front of its '('"
        ),
    ])
    func `a function of another type is found out`(signature: String, mismatch: String) {
        #expect(Action(signature: signature, summary: "", handler: product).mismatch == mismatch)
    }

    @Test func `what returns no status, or is no C function, is found out`() {
        let silent: @convention(c) (Result) -> Void = { _ in }
        #expect(
            Action(signature: "a()", summary: "", handler: silent).mismatch
                == "the handler of 'a' returns (); it should return belfry_status")
        let swift: (Int64, Result) -> belfry_status = { _, _ in BELFRY_OK }
        #expect(
            Action(signature: "a(n: int)", summary: "", handler: swift).mismatch
                == "the handler of 'a(n: int)' is no C function; give it the type '@convention(c) (…) -> belfry_status'"
        )
    }

    @Test func `a signature that is none is left to the host`() {
        let action = Action(signature: "view(sku", summary: "", handler: product)
        #expect(action.mismatch == nil)
        #expect(action.type == "view" && action.signature == "view(sku")
    }
}
