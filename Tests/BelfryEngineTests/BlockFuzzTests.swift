@testable import BelfryEngine
import BelfryModel
import Foundation
import FuzzInput
import Testing

/// Blocks that are nearly records, sealed as no accident would have it: each is refused, or as good as any other.
///
/// `BELFRY_FUZZ_BLOCKS` says how many; `make asan` reads a million under the address sanitizer.
@Suite struct BlockFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private let wanted = environment["BELFRY_FUZZ_BLOCKS"].flatMap { Int($0) } ?? 20_000
    private let seed = environment["BELFRY_SEED"].flatMap { UInt64($0) } ?? 1

    @Test func `a block from anywhere is refused, or can be decided on`() throws {
        let rich = try Town.rich()
        let bytes = rich.record().stored()
        let poor = try Town().record().stored()
        var mutator = Mutator(
            dice: Dice(seed: seed), tokens: ["ana", "shop", "\u{1}", "\u{7F}", "\u{0}\u{0}\u{0}\u{0}"])
        let engine = try rich.newEngine()
        var good = 0
        for _ in 0..<wanted where try read(Self.next(bytes, poor, &mutator), engine) { good += 1 }
        #expect(good > wanted / 200, "only \(good) of \(wanted) were records: nearly nothing was tried")
    }

    /// Changes what a record says, and seals it again.
    private static func next(_ bytes: [UInt8], _ other: [UInt8], _ mutator: inout Mutator) -> [UInt8] {
        var content = Array(bytes.dropLast(8))
        if mutator.dice.happens(0.7) { mutator.flip(&content) } else { mutator.mutate(&content, with: other) }
        if content.count > 6 { content.replaceSubrange(0..<6, with: bytes[0..<6]) }
        return content + withUnsafeBytes(of: stableHash(content).littleEndian) { Array($0) }
    }

    /// - Returns: whether it was taken for a record; then it is shown, decided on, written and read again.
    private func read(_ bytes: [UInt8], _ engine: Engine) throws -> Bool {
        guard var record = try? SubjectRecord(subject: "ana", reading: bytes, engine.catalog.services.states) else {
            return false
        }
        _ = record.value
        var effects = Effects()
        for event in [Signal.Event.requested(Signal.Request(campaign: "later")), .backgrounded, .reset] {
            effects.begin("ana")
            let signal = Signal(
                subject: "ana", time: Instant(milliseconds: 1_772_442_000_000), cause: "f", type: "x", event: event)
            _ = try? engine.decide(signal, on: &record, passed: .distantPast, into: &effects)
        }
        let again = record.stored(engine.catalog.services.states)
        #expect(throws: Never.self) {
            _ = try SubjectRecord(subject: "ana", reading: again, engine.catalog.services.states).value
        }
        return true
    }
}
