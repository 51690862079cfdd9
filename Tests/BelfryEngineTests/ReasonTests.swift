import BelfryEngine
import BelfryModel
import CBelfry
import Testing

/// What a plugin says besides its verdict, as it comes over the contract.
@Suite struct ReasonTests {
    private static let mostBytes = 64 << 10

    /// What becomes of a denial whose code and message have so many bytes.
    private func denial(code codeSize: Int, message messageSize: Int, hasAddress: Bool = true) -> Verdict {
        let collector = ReasonCollector()
        let bytes = [CChar](repeating: CChar(bitPattern: UInt8(ascii: "a")), count: max(1, codeSize, messageSize))
        return bytes.withUnsafeBufferPointer { bytes in
            let start = hasAddress ? bytes.baseAddress : nil
            var code = belfry_text(bytes: start, length: UInt64(codeSize))
            var message = belfry_text(bytes: start, length: UInt64(messageSize))
            let reason = collector.begin()
            reason.pointee.explain(reason.pointee.owner, &code, &message)
            return collector.verdict(BELFRY_DENY)
        }
    }

    @Test func `a sentence may have 64 KiB`() {
        let sentence = String(repeating: "a", count: Self.mostBytes)
        #expect(denial(code: 1, message: Self.mostBytes) == .deny(Reason(code: "a", message: sentence)))
    }

    @Test(arguments: [(1, mostBytes + 1), (mostBytes + 1, 1), (1, 3_000_000)])
    func `a longer one is told as too long`(code: Int, message: Int) {
        #expect(
            denial(code: code, message: message) == .fault("it gave a reason with a text of more than 65536 bytes"))
    }

    @Test func `one without an address makes no sense`() {
        #expect(
            denial(code: 1, message: 1, hasAddress: false) == .fault("it gave a reason with a text that makes no sense")
        )
    }

    /// What a plugin is taken to have said that writes pieces of so many bytes to a sink.
    private func sentence(_ sizes: Int...) -> String {
        collectText { sink in
            for size in sizes { String(repeating: "a", count: size).write(to: sink) }
        }.text
    }

    @Test func `a sentence that belongs to a failure may have 64 KiB, too`() {
        #expect(sentence(Self.mostBytes) == String(repeating: "a", count: Self.mostBytes))
    }

    /// It was left out, and the failure told as one without a word.
    @Test func `a longer one is told as too long, in one piece and in several`() {
        let tooLong = "it gave a sentence of more than 65536 bytes"
        #expect(sentence(Self.mostBytes + 1) == tooLong)
        #expect(sentence(Self.mostBytes, 1, 1) == tooLong)
        #expect(sentence(1, 3_000_000) == tooLong)
    }
}
