import BelfryJournal
import BelfryModel
import Foundation
import Testing

@testable import BelfryDelivery

/// A journal that takes nothing for a while, such as on a full disk.
@Suite struct ForwardRefusalTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-forward-\(UUID().uuidString)")

    /// Each entry begins a segment, behind one that says what holds there.
    private func journal() throws -> Journal {
        try Journal(.folder(folder.path), store: "test", checkpoint: 0, segmentSize: 1)
    }

    /// Lies where a segment is to begin.
    private func obstacle(at entry: UInt64) throws -> URL {
        let digits = String(entry)
        let place = folder.appending(path: String(repeating: "0", count: 20 - digits.count) + digits + ".segment")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        return place
    }

    @Test func `a batch waits until it can be sealed, which is told once`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let errand = try Errand(every: .zero, journal: journal())
        try errand.commit(2)
        let obstacle = try obstacle(at: errand.journal.last + 1)
        try errand.pass(until: .seconds(2))
        #expect(errand.posts.isEmpty && errand.status.waiting == 2)
        #expect(errand.texts.count == 1)
        #expect(errand.texts.first?.hasPrefix("warning: forwarding waits for the journal: ") == true)
        try FileManager.default.removeItem(at: obstacle)
        try errand.pass(until: .minutes(1))
        #expect(errand.posts == ["3s: e1 e2"] && errand.status.waiting == 0)
        try errand.commit(1)
        try errand.pass(until: .minutes(2))
        #expect(errand.posts == ["3s: e1 e2", "1m: e3"] && errand.texts.count == 1)
    }

    @Test func `a batch that was taken is not sent again because that cannot be noted`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let errand = try Errand(every: .zero, journal: journal())
        try errand.commit(2)
        // The seal comes first.
        let obstacle = try obstacle(at: errand.journal.last + 3)
        try errand.pass(until: .seconds(2))
        #expect(errand.posts == ["0s: e1 e2"] && errand.status.waiting == 2)
        try FileManager.default.removeItem(at: obstacle)
        try errand.pass(until: .minutes(1))
        #expect(errand.posts == ["0s: e1 e2"] && errand.status.forwarded == 2 && errand.status.waiting == 0)
        let next = try errand.restarted()
        try next.pass(until: .minutes(1))
        #expect(next.posts.isEmpty)
    }

    @Test func `the end comes all the same, and what waits is there for the next run`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let errand = try Errand(journal: journal())
        try errand.commit(2)
        let obstacle = try obstacle(at: errand.journal.last + 1)
        #expect(try errand.end())
        #expect(errand.posts.isEmpty && errand.status.waiting == 2)
        try FileManager.default.removeItem(at: obstacle)
        let next = try errand.restarted()
        try next.pass(until: .seconds(1))
        #expect(next.posts == ["0s: e1 e2"])
    }
}
