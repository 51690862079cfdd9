import Testing

@testable import BelfryModel

/// docs/plugins.md, "Handlers with arguments of their own".
@Suite struct ActionSignatureTests {
    @Test(arguments: [
        ("()", "()"), (" ( ) ", "()"), ("(action)", "(action)"), ("(action,payload)", "(action, payload)"),
        ("view( action )", "view(action)"), ("view-it.now(sku:string)", "view-it.now(sku: string)"),
        ("(a: bool, b: int, c: double, d: string, e: bytes, f: instant)", nil),
        ("viewProduct(sku: string, price: double, quantity: int = 1)", nil),
        ("(action: string, payload: int)", nil), ("(sku: string, payload, action)", nil),
        ("(a: bool = false, b: int = -3, c: double = 2)", nil), ("(c: double = 1.5e3)", "(c: double = 1500)"),
        (#"(d: string = "Zoë said: \"a, b) = c\"")"#, nil),
        (#"(d: string = "\u00eb\ud83d\ude00\/\n")"#, #"(d: string = "ë😀/\n")"#),
        (#"(e: bytes = "AAH/")"#, nil),
        (#"(f: instant = "2026-03-02T10:00:00+01:00")"#, #"(f: instant = "2026-03-02T09:00:00Z")"#),
        (#"(größe_2: string = "")"#, nil),
    ])
    func `a signature is read, and written again`(text: String, written: String?) throws {
        let signature = try ActionSignature(parsing: text)
        #expect(signature.description == written ?? text)
        #expect(try ActionSignature(parsing: signature.description) == signature)
    }

    private static let types = "bool, int, double, string, bytes or instant"

    @Test(arguments: [
        ("", 1, "it has no '('", "write the parameters in parentheses, as in 'view(sku: string)'"),
        ("action", 7, "it has no '('", "write the parameters in parentheses, as in 'view(sku: string)'"),
        ("(action, number)", 10, "'number' has no type", "write 'number: TYPE', where TYPE is \(types)"),
        ("(n: sting)", 5, "there is no type 'sting'", "did you mean 'string'?"),
        ("(n: float64)", 5, "there is no type 'float64'", "write \(types)"),
        ("(n: )", 5, "the type is missing", "write \(types)"),
        ("(n: int", 8, "its ')' is missing", "separate parameters with ',' and end them with ')'"),
        ("(n: int; m: int)", 8, "';' is neither ',' nor ')'", "separate parameters with ',' and end them with ')'"),
        ("(n: int,)", 9, "a parameter is missing", "write 'name: TYPE', 'action' or 'payload'"),
        ("(1st: int)", 2, "a parameter is missing", "write 'name: TYPE', 'action' or 'payload'"),
        ("(n: int) -> int", 10, "there is '-' after its ')'", "end it with ')'"),
        ("(n: int, n: bool)", 10, "a second 'n'", "name each parameter once"),
        ("(action, action)", 10, "a second 'action'", "name each parameter once"),
        ("(type: string)", 2, "'type' is what the action is called", "name the parameter otherwise"),
        ("(n: int = )", 11, "the default of 'n' is missing", "write a whole number, as in JSON"),
        ("(n: int = one)", 11, "'one' is no JSON value", "write a whole number, as in JSON"),
        ("(n: int = 01)", 11, "'01' is no JSON value", "write a whole number, as in JSON"),
        ("(n: int = 1.)", 11, "'1.' is no JSON value", "write a whole number, as in JSON"),
        ("(n: bool = null)", 12, "'null' is no JSON value", "write true or false, as in JSON"),
        (
            #"(s: string = "a)"#, 14, #"'"a)' is no JSON value"#,
            "write text in double quotes, as in JSON"
        ),
        (
            #"(s: string = "\x")"#, 14, #"'"\x"' is no JSON value"#,
            "write text in double quotes, as in JSON"
        ),
        (
            #"(s: string = "\ud83d")"#, 14, #"'"\ud83d"' is no JSON value"#,
            "write text in double quotes, as in JSON"
        ),
        (
            "(n: int = 1.5)", 11, "the default of 'n' is 1.5, expected a whole number",
            "give 'n' a default of its type, or none"
        ),
        (
            #"(n: int = "1")"#, 11, #"the default of 'n' is "1", expected a whole number"#,
            "give 'n' a default of its type, or none"
        ),
        (
            #"(s: string = "\u0000")"#, 14, #"the default of 's' is "\u0000", expected text without U+0000"#,
            "give 's' a default of its type, or none"
        ),
        (
            #"(b: bytes = "AAH")"#, 13, #"the default of 'b' is "AAH", expected base64 text"#,
            "give 'b' a default of its type, or none"
        ),
        (
            #"(at: instant = "today")"#, 16,
            #"the default of 'at' is "today", expected an RFC 3339 time, such as 2026-03-02T09:00:00Z"#,
            "give 'at' a default of its type, or none"
        ),
    ])
    func `what is no signature is refused with its place and a way out`(
        text: String, position: Int, problem: String, fix: String
    ) {
        let malformed = #expect(throws: ActionSignature.Malformed.self) { try ActionSignature(parsing: text) }
        #expect(malformed == ActionSignature.Malformed(position: position, problem: problem, fix: fix))
    }

    @Test func `there is an end to parameters`() throws {
        func text(_ count: Int) -> String { "(\((1...count).map { "p\($0): int" }.joined(separator: ", ")))" }
        #expect(try ActionSignature(parsing: text(32)).parameters.count == 32)
        let malformed = #expect(throws: ActionSignature.Malformed.self) { try ActionSignature(parsing: text(33)) }
        #expect(malformed?.problem == "it has more than 32 parameters")
    }

    // MARK: Fields

    private static let product = "viewProduct(sku: string, price: double, quantity: int = 1)"

    private func arguments(_ signature: String, _ action: Fields) throws -> [ActionSignature.Argument] {
        try ActionSignature(parsing: signature).arguments(from: action)
    }

    @Test func `fields become arguments in the order of the signature`() throws {
        #expect(
            try arguments(Self.product, Fields([("type", "viewProduct"), ("price", 12), ("sku", "A-7")]))
                == [.string("A-7"), .double(12), .int(1)])
        #expect(
            try arguments(Self.product, Fields([("sku", ""), ("price", 0.5), ("quantity", .number(3))]))
                == [.string(""), .double(0.5), .int(3)])
        #expect(
            try arguments("(payload, sku: string, action)", Fields([("sku", "A")])) == [
                .payload, .string("A"), .action,
            ])
    }

    @Test(
        arguments: [
            ("bool", true, .bool(true)), ("int", .integer(.min), .int(.min)), ("double", .integer(2), .double(2)),
            ("string", "Zoë 😀", .string("Zoë 😀")), ("bytes", "", .bytes([])), ("bytes", "AA==", .bytes([0])),
            ("bytes", "/+8=", .bytes([0xFF, 0xEF])), ("bytes", "AAH/", .bytes([0, 1, 255])),
            ("instant", "1969-12-31T23:59:59.999Z", .instant(Instant(milliseconds: -1))),
        ] as [(String, Value, ActionSignature.Argument)])
    func `a value of the type is one`(type: String, value: Value, argument: ActionSignature.Argument) throws {
        #expect(try arguments("(x: \(type))", Fields([("x", value)])) == [argument])
    }

    @Test func `null is a missing field`() throws {
        #expect(try arguments("(n: int = 1)", Fields([("n", .null)])) == [.int(1)])
        #expect(
            throws: ActionSignature.Mismatch(
                sentence: "the action does not fit (n: int): 'n' is missing, expected a whole number")
        ) {
            try arguments("(n: int)", Fields([("n", .null)]))
        }
    }

    @Test(
        arguments: [
            ("bool", 1, "the number 1", "true or false"), ("bool", "true", "the text 'true'", "true or false"),
            ("int", 1.5, "the number 1.5", "a whole number"),
            ("int", .number(1e19), "the number 1e+19", "a whole number"),
            ("int", "7", "the text '7'", "a whole number"), ("double", true, "true", "a number"),
            ("double", "1", "the text '1'", "a number"), ("string", 7, "the number 7", "text"),
            ("string", "a\0b", "text with U+0000 in it", "text without U+0000"),
            ("string", ["a"], "a list", "text"),
            ("string", ["a": 1], "a mapping", "text"),
            ("bytes", "A", "the text 'A'", "base64 text"), ("bytes", "AA", "the text 'AA'", "base64 text"),
            ("bytes", "AB==", "the text 'AB=='", "base64 text"), ("bytes", "A=AA", "the text 'A=AA'", "base64 text"),
            ("bytes", "AA== ", "the text 'AA== '", "base64 text"),
            ("instant", "2026-03-02", "the text '2026-03-02'", "an RFC 3339 time, such as 2026-03-02T09:00:00Z"),
            ("instant", 0, "the number 0", "an RFC 3339 time, such as 2026-03-02T09:00:00Z"),
        ] as [(String, Value, String, String)])
    func `a value of another type is told`(type: String, value: Value, found: String, expected: String) {
        let sentence = "the action does not fit (x: \(type)): 'x' is \(found), expected \(expected)"
        #expect(throws: ActionSignature.Mismatch(sentence: sentence)) {
            try arguments("(x: \(type))", Fields([("x", value)]))
        }
    }

    @Test func `all that is wrong is told at once, with the field that was meant`() {
        let sentence =
            "the action does not fit viewProduct(sku: string, price: double, quantity: int = 1): 'sku' is missing, expected text; "
            + "'price' is the text 'cheap', expected a number; it takes no 'quantitty', did you mean 'quantity'?; "
            + "it takes no 'colour'"
        #expect(throws: ActionSignature.Mismatch(sentence: sentence)) {
            try arguments(
                Self.product,
                Fields([("type", "viewProduct"), ("price", "cheap"), ("quantitty", 2), ("colour", "red")]))
        }
    }

    @Test func `a long text is told by its beginning`() {
        let mismatch = #expect(throws: ActionSignature.Mismatch.self) {
            try arguments("(n: int)", Fields([("n", .text(String(repeating: "é", count: 50)))]))
        }
        #expect(
            mismatch?.sentence.hasSuffix(
                "'n' is the text '\(String(repeating: "é", count: 39))…', expected a whole number") == true)
    }

    @Test func `who takes the whole action takes any field`() throws {
        #expect(
            try arguments("(sku: string, action)", Fields([("sku", "A"), ("colour", "red")])) == [
                .string("A"), .action,
            ])
        #expect(throws: ActionSignature.Mismatch(sentence: "the action does not fit (payload): it takes no 'colour'")) {
            try arguments("(payload)", Fields([("colour", "red")]))
        }
    }
}
