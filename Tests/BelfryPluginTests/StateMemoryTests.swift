import Testing

@testable import BelfryPlugin

/// Memory for the texts and lists of a state.
@Suite struct StateMemoryTests {
    @Test func `more than a host lends at once is told with its size and the limit`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setText(ofBytes: (16 << 20) + 1)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("would take 16777217 bytes; the host lends at most 16 MiB at once"), "\(words)")
    }
}

private func setText(ofBytes count: Int) {
    var (context, bare) = (belfry_context(), belfry_host())
    bare.get_extension = { _, id in
        String(cString: id!) == BELFRY_EXTENSION_SCRATCH ? UnsafeRawPointer(empty) : nil
    }
    withUnsafePointer(to: &bare) { bare in
        var host = Host(bare)
        withUnsafePointer(to: &host) { host in
            withUnsafePointer(to: &context) { context in
                var text = StateText()
                text.set(String(repeating: "a", count: count), in: Context(context, host: host))
            }
        }
    }
}

/// Lends nothing, as a host does beyond its limit. It stays for as long as the process.
nonisolated(unsafe) private let empty: UnsafeMutablePointer<belfry_scratch> = {
    let table = UnsafeMutablePointer<belfry_scratch>.allocate(capacity: 1)
    table.initialize(to: belfry_scratch(allocate: { _, _ in nil }))
    return table
}()
