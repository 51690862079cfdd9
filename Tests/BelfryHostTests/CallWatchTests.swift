import BelfryModel
import Foundation
import Testing

@testable import BelfryEngine
@testable import BelfryRuntime

/// When a call takes too long.
@Suite struct CallWatchTests {
    @Test func `a call is not taken for the one before it, which was as long`() throws {
        var watch = try watchOfThisThread()
        var note = CallNote()
        for _ in 0..<4 {
            // The first call of the first piece of another batch.
            note.ordinal = 0
            note.enter(0, .shouldCreate)
            work()
            #expect(watch.look(note) == nil)
            note.leave()
        }
        note.enter(0, .shouldCreate)
        #expect(watch.look(note) == nil)
        work()
        work()
        #expect(watch.look(note) == CallWatch.Excess(cause: .timeout, call: note.number))
    }

    @Test func `a call is not to blame for one that returned before the process was ended for it`() {
        var note = CallNote()
        note.enter(3, .shouldCreate)
        let excess = CallWatch.Excess(cause: .timeout, call: note.number)
        #expect(death(note, excess).fault?.cause == .timeout)
        #expect(!death(note, excess).isByStranger)
        note.leave()
        #expect(death(note, excess).isByStranger, "between two calls")
        note.enter(3, .shouldCreate)
        #expect(death(note, excess).isByStranger, "in the next one")
    }

    @Test func `between two calls there is time for as long as there is progress`() throws {
        var watch = try watchOfThisThread(
            patience: CallWatch.Patience(time: Duration(milliseconds: 4), countsSleep: false))
        var note = CallNote()
        for _ in 0..<4 {
            watch.noteProgress()
            work()
            #expect(watch.look(note) == nil, "it has said something")
        }
        for piece in 1...4 {
            note.piece = UInt32(piece)
            work()
            #expect(watch.look(note) == nil, "it has come to the next piece")
        }
        work()
        work()
        #expect(watch.look(note) == CallWatch.Excess(cause: .timeout, call: nil))
        #expect(death(note, CallWatch.Excess(cause: .timeout, call: nil)).isStall)
    }

    @Test func `between two calls a thread may do what it likes`() throws {
        var watch = try watchOfThisThread()
        for _ in 0..<4 {
            work()
            #expect(watch.look(CallNote()) == nil)
        }
    }

    /// In a call this may take 4 ms.
    private func watchOfThisThread(patience: CallWatch.Patience? = nil) throws -> CallWatch {
        var limits = Configuration.Limits()
        limits.call = Duration(milliseconds: 4)
        let thread = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        let number = try #require(thread.split(separator: "/").last.flatMap { Int32($0) })
        return CallWatch(.thread(number), limits, patience: patience)
    }

    private func death(_ note: CallNote, _ excess: CallWatch.Excess) -> ShardDeath {
        ShardDeath(end: .signal(SIGKILL), note: note, endedFor: excess, limits: Configuration.Limits())
    }

    /// 3 ms of processor time.
    private func work() {
        let end = processorTime + .milliseconds(3)
        while processorTime < end {}
    }
}
