import Foundation
import Testing

/// The host inside another process, as docs/embed-the-host.md has it.
@Suite struct EmbeddingTests {
    @Test func `signals go in through one pipe, and decisions come out of another`() throws {
        let folder = try Workplace()
        try folder.write(
            """
            app: shop
            store: memory
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Half price } ]
            """, to: "belfry.yaml")
        let (signals, decisions) = (Pipe(), Pipe())
        for minute in ["00", "30"] {
            let signal =
                #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:\#(minute):00Z","data":{"campaign":"sale"}}"#
            try signals.fileHandleForWriting.write(contentsOf: Data((signal + "\n").utf8))
        }
        try signals.fileHandleForWriting.close()
        let summary = try decide(
            configuration: folder.url.appending(path: "belfry.yaml").path,
            belfry: Workplace.products.appending(path: "belfry").path,
            signals: signals.fileHandleForReading.fileDescriptor,
            decisions: decisions.fileHandleForWriting.fileDescriptor)
        try decisions.fileHandleForWriting.close()
        let lines = String(decoding: try decisions.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(lines.split(separator: "\n").map { $0.contains("notification.created") } == [true, false])
        #expect(summary.processed == 2 && summary.decisions["notification.suppressed"] == 1)
    }
}
