import Synchronization
import Testing

@testable import BelfryRuntime

@Suite struct SignalIntakeTests {
    private func block(_ count: Int, of key: String) -> SignalBlock {
        var block = Array("{}".utf8).withUnsafeBytes { bytes in
            SignalBlock(bytes, lines: (0..<count).map { SignalBlock.Line(0..<2, number: $0) })
        }
        block.request = (RequestMark(key: key, body: "", isMinimal: false, count: count), 0)
        return block
    }

    @Test func `batches that are made durable together have the pieces of their own requests`() throws {
        let intake = SignalIntake(signals: 100, bytes: 1000)
        let answered = Mutex<[String]>([])
        for (key, count) in [("a", 3), ("b", 2)] {
            try intake.give(block(count, of: key)) { results in
                answered.withLock { $0.append("\(key)\(results?.count ?? -1)") }
            }
        }
        while intake.nextBuffered() != nil {}
        func pieces(_ count: Int) -> [String] {
            let bytes = intake.requests(at: Array(repeating: .duplicate, count: count))
            return RequestPiece.all(in: bytes).map { "\($0.mark.key) \($0.first) \($0.results.count)" }
        }
        #expect(pieces(2) == ["a 0 2"])
        #expect(pieces(2) == ["a 2 1", "b 0 1"])
        for count in [2, 2] { intake.answer(Array(repeating: .duplicate, count: count)) }
        #expect(pieces(1) == ["b 1 1"])
        intake.answer([.duplicate])
        #expect(answered.withLock { $0 } == ["a2", "a1", "b1", "b1"])
        #expect(intake.depth.signals == 0)
    }
}
