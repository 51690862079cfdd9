import BelfryModel
import Foundation
import Hummingbird
import Testing

@testable import BelfryService

/// What handlers run on: reads hold up one another, and nothing else.
@Suite struct HandlerThreadsTests {
    private let threads = HandlerThreads(waits: true)

    private func threads(_ role: Role?) -> TaskThreads? {
        threads[Route(.get, "/", role) { _ in Response(status: .ok) }]
    }

    @Test func `four reads are under way at once, and what is no read does not wait for them`() async throws {
        let reading = try #require(threads(.read))
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let end = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<5 {
                tasks.addTask(executorPreference: reading) {
                    beginning.yield()
                    Self.wait(for: end)
                }
            }
            var begun = begun.makeAsyncIterator()
            for _ in 0..<4 { await begun.next() }
            // Here, and on the threads of everything else, it goes on.
            let other = await withTaskExecutorPreference(threads(.submit)) { threads(.submit) !== reading }
            #expect(other)
            for _ in 0..<5 { end.signal() }
            await begun.next()
        }
    }

    @Test func `without a database, what is no read runs where all tasks do`() {
        let threads = HandlerThreads(waits: false)
        #expect(threads[Route(.post, "/", .submit) { _ in Response(status: .ok) }] == nil)
        #expect(threads[Route(.get, "/", .read) { _ in Response(status: .ok) }] != nil)
    }

    private static func wait(for end: DispatchSemaphore) { end.wait() }
}
