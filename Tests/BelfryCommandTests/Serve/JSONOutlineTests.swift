import BelfryModel
import BelfrySignals
import Foundation
import FuzzInput
import Testing

@testable import BelfryService

/// The grammar of JSON, and where the items of a list are.
@Suite struct JSONOutlineTests {
    private static func outline(_ text: String) -> JSONOutline? { JSONOutline(of: Array(text.utf8)) }

    private static func items(_ text: String) -> [String]? {
        let bytes = Array(text.utf8)
        return JSONOutline(of: bytes)?.items?.map { String(decoding: bytes[$0], as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("[]", []), (" [\n] ", []), ("[1]", ["1"]), ("[ 1 ,\t\"a,]\" ]", ["1", #""a,]""#]),
            (#"[{"a":[1,{"b":2}],"c":"}"} , [[],[3]],{}]"#, [#"{"a":[1,{"b":2}],"c":"}"}"#, "[[],[3]]", "{}"]),
            (#"["\"",null , -0.5e+10]"#, [#""\"""#, "null", "-0.5e+10"]),
            ("[1e400,[99999999999999999999]]", ["1e400", "[99999999999999999999]"]),
        ] as [(String, [String])])
    func `items of a list are found`(text: String, items: [String]) {
        #expect(Self.items(text) == items)
    }

    @Test(arguments: [
        "{}", "0", "-0", " true ", "false", "null", "1e400", "1E-2", "20.50", "\"\"", #""\ud800""#,
        #""\u00e9\/\b\f\n\r\t\\""#, #"{"a":{"a":[]},"a":"é"}"#, "{ \"a\" :\r\n1 , \"b\":[ ] }",
    ])
    func `other values have an outline without items`(text: String) throws {
        let outline = try #require(Self.outline(text))
        #expect(outline.items == nil)
    }

    @Test(arguments: [
        "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1}", "{]", "[] []", "[]\0", "1 2",
        "{1:2}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, "nul", "nulls", "True", "'a'",
        "01", "-", "+1", "1.", ".5", "1e", "1e+", "1.e2", "0x1", "NaN", "-Infinity", "\u{FEFF}[]", "[\u{A0}]",
        "\"", #""\"#, #""\x""#, #""\u12g4""#, #""\u12"#, "\"\n\"", "\"\t\"",
    ])
    func `what is not JSON has no outline`(text: String) {
        #expect(Self.outline(text) == nil)
    }

    @Test(
        arguments: [
            [0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80], [0xE2, 0x82],
        ] as [[UInt8]])
    func `what is not UTF-8 has no outline`(bytes: [UInt8]) {
        let text: [UInt8] = [0x22] + bytes + [0x22]
        #expect(JSONOutline(of: text) == nil)
    }

    @Test func `lists may be nested as deep as a body is long`() {
        let depth = 300_000
        let (opened, closed) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
        #expect(Self.items(opened + closed)?.first?.utf8.count == 2 * depth - 2)
        #expect(Self.outline(opened) == nil && Self.outline(opened + closed + "]") == nil)
    }

    @Test func `whatever the parser takes has an outline`() throws {
        var fuzzer = LineFuzzer(seed: UInt64(Load.number("BELFRY_SEED") ?? 1), corpus: try FuzzCorpus.signals)
        var counts = (taken: 0, outlined: 0)
        for line in fuzzer.next(4000).split(separator: UInt8(ascii: "\n")) {
            let (isTaken, isOutlined) = (Value(json: line) != nil, JSONOutline(of: Array(line)) != nil)
            if isTaken { counts.taken += 1 }
            if isOutlined { counts.outlined += 1 }
            #expect(isOutlined || !isTaken, "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(counts.taken > 400 && counts.taken <= counts.outlined && counts.outlined < 4000, "\(counts)")
    }
}
