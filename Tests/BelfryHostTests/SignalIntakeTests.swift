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

    @Test func `what there is no room for comes in its turn, and nothing else before it`() throws {
        let intake = SignalIntake(signals: 4, bytes: 1000)
        let answered = Mutex<[String]>([])
        func give(_ key: String, _ count: Int, waits: Bool) -> SignalIntake.Refusal? {
            do throws(SignalIntake.Refusal) {
                try intake.give(block(count, of: key), waits: waits) { results in
                    answered.withLock { $0.append("\(key)\(results?.count ?? -1)") }
                }
                return nil
            } catch { return error }
        }
        func decide(_ count: Int) {
            for _ in 0..<count { #expect(intake.nextBuffered() != nil) }
            intake.answer(Array(repeating: .duplicate, count: count))
        }
        #expect(give("a", 3, waits: false) == nil)
        #expect(give("b", 2, waits: false) == .full)
        #expect(give("c", 5, waits: true) == nil)
        // There would be room for it, but another one waits.
        #expect(give("d", 1, waits: false) == .full)
        #expect(give("e", 1, waits: true) == nil)
        #expect(intake.isFull)
        decide(3)
        // The first of those that wait is larger than all the room: it comes alone.
        #expect(intake.depth.signals == 5)
        decide(5)
        #expect(intake.depth.signals == 1)
        #expect(!intake.isFull)
        #expect(give("f", 4, waits: true) == nil)
        intake.close()
        #expect(give("g", 1, waits: true) == .closed)
        decide(1)
        #expect(intake.nextBuffered() == nil)
        #expect(answered.withLock { $0 } == ["a3", "c5", "f-1", "e1"])
    }
}
