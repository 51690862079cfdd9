import BelfryHandlers
import BelfryEngine
import BelfryModel
import CBelfry
import Testing

/// Functions of this process, called as those of a plugin are. Across the border: `HandlerTests`.
@Suite struct NativeHandlerTests {
    private typealias Result = UnsafePointer<belfry_action_result>?

    private func call<Function>(
        _ signature: String, _ function: Function, _ action: Fields, payload: Fields = Fields(),
        in memory: CallMemory = CallMemory()
    ) throws -> NativeHandler.Answer {
        var table = belfry_action()
        table.function = unsafeBitCast(function, to: belfry_action_function.self)
        return try NativeHandler(table, signature: ActionSignature(parsing: signature))
            .call(action: action, payload: payload, in: memory)
    }

    private typealias AllTypes =
        @convention(c) (
            belfry_bool, Int64, Double, UnsafePointer<CChar>, UnsafePointer<UInt8>, UInt64, Int64, Result
        ) -> belfry_status

    private let all: AllTypes = { flag, count, price, name, bytes, length, at, result in
        let bytes = Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
        answer("\(flag) \(count) \(price) \(String(cString: name)) \(bytes) \(at)", result)
        return BELFRY_OK
    }

    private static let signature = "(flag: bool, count: int, price: double, name: string, blob: bytes, at: instant)"

    @Test(
        arguments: [
            (
                [
                    ("flag", true), ("count", -1), ("price", -0.5), ("name", "Zoë 😀"), ("blob", "AAH/"),
                    ("at", "2026-03-02T09:00:00Z"),
                ], "1 -1 -0.5 Zoë 😀 [0, 1, 255] 1772442000000"
            ),
            (
                [
                    ("flag", false), ("count", .integer(.min)), ("price", .number(.greatestFiniteMagnitude)),
                    ("name", ""), ("blob", ""),
                    ("at", "1969-12-31T23:59:59.999Z"),
                ], "0 \(Int64.min) \(Double.greatestFiniteMagnitude)  [] -1"
            ),
        ] as [([(String, Value)], String)])
    func `every type arrives`(fields: [(String, Value)], text: String) throws {
        #expect(try call(Self.signature, all, Fields(fields)).result == .text(text))
    }

    @Test func `one memory serves one call after the other`() throws {
        let memory = CallMemory()
        let long = String(repeating: "long ", count: 10_000)
        for (name, blob) in [("first", "AA=="), (long, "AAH/"), ("third", "")] {
            let action = Fields([
                ("flag", true), ("count", 2), ("price", 3), ("name", .text(name)), ("blob", .text(blob)),
                ("at", "1970-01-01T00:00:00Z"),
            ])
            let result = try call(Self.signature, all, action, in: memory).result?.text
            #expect(result?.hasPrefix("1 2 3.0 \(name) [") == true)
        }
    }

    @Test func `arguments beyond the registers arrive too`() throws {
        let function:
            @convention(c) (
                Double, Int64, Double, Int64, Double, Int64, Double, Int64, Double, Int64, Double, Int64, Double, Int64,
                Double, Int64, Double, Int64, Double, Int64, Result
            ) -> belfry_status = { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, result in
                let numbers = [a, c, e, g, i, k, m, o, q, s]
                let integers = [b, d, f, h, j, l, n, p, r, t]
                answer("\(numbers) \(integers)", result)
                return BELFRY_OK
            }
        let names = (0..<20).map { "p\($0)" }
        let parameters = names.enumerated().map { "\($1): \($0.isMultiple(of: 2) ? "double" : "int")" }
        let action = Fields(names.enumerated().map { ($1, .integer(Int64($0))) })
        #expect(
            try call("(\(parameters.joined(separator: ", ")))", function, action).result
                == "[0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 18.0] [1, 3, 5, 7, 9, 11, 13, 15, 17, 19]")
    }

    @Test func `the action and the notification may stand among fields`() throws {
        let function:
            @convention(c) (UnsafePointer<belfry_value>, Int64, UnsafePointer<belfry_value>, Result) -> belfry_status =
                {
                    payload, count, action, result in
                    answer("\(Value(payload.pointee).json) \(count) \(Value(action.pointee).json)", result)
                    return BELFRY_OK
                }
        #expect(
            try call(
                "(payload, count: int, action)", function, Fields([("type", "x"), ("count", 7), ("more", "so")]),
                payload: Fields([("message", "hi")])
            ).result == #"{"message":"hi"} 7 {"type":"x","count":7,"more":"so"}"#)
    }

    @Test func `a handler without arguments gets the result`() throws {
        let function: @convention(c) (Result) -> belfry_status = { result in
            answer("here", result)
            return BELFRY_OK
        }
        #expect(try call("()", function, Fields()).result == "here")
    }

    // MARK: Failures

    @Test func `an action that does not fit is an error, and nothing is called`() throws {
        let never: @convention(c) (Int64, Result) -> belfry_status = { _, result in
            answer("called", result)
            return BELFRY_OK
        }
        let outcome = try call("(n: int)", never, Fields([("n", "x")]))
        #expect(outcome.result == nil)
        #expect(
            outcome.error
                == "the action does not fit (n: int): 'n' is the text 'x', expected a whole number")
    }

    @Test(arguments: [1, -1, .min] as [Int32])
    func `a status that is not OK is a failure, also without a word`(status: Int32) throws {
        let function: @convention(c) (Int64, Result) -> belfry_status = { status, _ in Int32(status) }
        let answer = try call("(status: int)", function, Fields([("status", .integer(Int64(status)))]))
        #expect(answer.error == "the handler failed with status \(status) and without a word")
    }

    @Test func `what a handler says of its failure is the error`() throws {
        let function: @convention(c) (UnsafePointer<CChar>, Result) -> belfry_status = { text, result in
            var length = UInt64(0)
            while text[Int(length)] != 0 { length += 1 }
            result?.pointee.fail(result?.pointee.owner, text, length)
            return BELFRY_FAILED
        }
        #expect(try call("(why: string)", function, Fields([("why", "it is closed")])).error == "it is closed")
    }
}

private func answer(_ text: String, _ result: UnsafePointer<belfry_action_result>?) {
    var text = text
    text.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { bytes in
            var value = belfry_value()
            value.kind = BELFRY_TEXT
            value.text = belfry_text(bytes: bytes.baseAddress, length: UInt64(bytes.count))
            result?.pointee.set(result?.pointee.owner, &value)
        }
    }
}
