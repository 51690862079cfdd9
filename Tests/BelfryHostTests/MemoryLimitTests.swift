import Testing

@testable import BelfryRuntime

@Suite struct MemoryLimitTests {
    /// A process whose memory the test sets.
    private final class Process {
        var memory = 1000
    }

    @Test func `all records stay until the process has grown by the limit`() {
        let process = Process()
        var limit = MemoryLimit(bytes: 500) { process.memory }
        process.memory = 1500
        #expect(limit.capacity(for: 40) == .max)
    }

    @Test func `so many stay as fit, by what those that are there take`() {
        let process = Process()
        var limit = MemoryLimit(bytes: 500) { process.memory }
        process.memory = 2000
        #expect(limit.capacity(for: 100) == 50)
    }

    @Test func `memory of records that left is not given back, and is no reason for more to leave`() {
        let process = Process()
        var limit = MemoryLimit(bytes: 500) { process.memory }
        process.memory = 2000
        _ = limit.capacity(for: 100)
        process.memory = 2100
        #expect(limit.capacity(for: 25) == 50)
    }

    @Test func `when records grow, fewer fit`() {
        let process = Process()
        var limit = MemoryLimit(bytes: 500) { process.memory }
        process.memory = 1510
        #expect(limit.capacity(for: 102) == 100)
        process.memory = 2000
        #expect(limit.capacity(for: 100) == 50)
    }

    @Test func `the memory of this process is known`() {
        let before = ProcessMemory().own
        let size = 64 << 20
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { block.deallocate() }
        block.initializeMemory(as: UInt8.self, repeating: 1, count: size)
        #expect(before > 0)
        #expect(ProcessMemory().own - before > size / 2)
    }
}
