import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

/// The run loop with a cache too small for its subjects, and batches too small for its timers.
@Suite struct RunnerTests {
    /// Forty people enter and leave a shop, ask for things, and stay for a while.
    static let signals: [String] = (0..<2000).map { step in
        let subject = "p\(step * 7 % 40)"
        let time = Instant(rfc3339: "2026-03-02T08:00:00Z")! + .seconds(Int64(step) * 40)
        let (type, data) =
            switch step * 31 % 11 {
            case 0...3: ("region.entered", #"{"region":"shop"}"#)
            case 4...6: ("region.exited", #"{"region":"shop"}"#)
            case 7: ("notification.requested", #"{"campaign":"nowhere"}"#)
            default: ("notification.requested", #"{"campaign":"offer"}"#)
            }
        return #"{"id":"s-\#(step)","type":"\#(type)","subject":"\#(subject)","time":"\#(time)","data":\#(data)}"#
    }

    static var configuration: Configuration {
        var configuration = Configuration(app: "shop")
        let center = Coordinate(latitude: 52, longitude: 4)
        configuration.regions = [Configuration.Region(id: "shop", kind: .geofence(center: center, radius: 200))]
        var offer = Configuration.Campaign(id: "offer")
        offer.triggers = [Configuration.Trigger(id: "stay", on: .dwell(.minutes(5)))]
        configuration.campaigns = [offer]
        return configuration
    }

    private static func decisions(batch: Int, capacity: Int, isDurable: Bool) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-runner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "rejects"].map { folder.appending(path: $0) }
        for file in files { try Data().write(to: file) }
        try Data(signals.joined(separator: "\n").utf8).write(to: files[0])
        let input = try FileHandle(forReadingFrom: files[0])
        let (output, rejects) = (try FileHandle(forWritingTo: files[1]), try FileHandle(forWritingTo: files[2]))
        let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
        var options = Runner.Options()
        (options.batchSize, options.cacheCapacity) = (batch, capacity)
        let runner = try Runner(
            .withoutPlugins(Catalog(configuration, providers: Providers(), services: services)),
            store: OpenStore(MemoryStore(), isDurable: isDurable), options: options,
            decisions: ByteOutput(output.fileDescriptor, name: "out"),
            rejects: ByteOutput(rejects.fileDescriptor, name: "rejects"), warn: { _ in })
        _ = try runner.run(SignalInput(input.fileDescriptor))
        return try String(contentsOf: files[1], encoding: .utf8)
    }

    @Test(arguments: [1, 2, 7], [1, 2, 30])
    func `a small cache and small batches decide the same`(batch: Int, capacity: Int) throws {
        let undisturbed = try Self.decisions(batch: 1000, capacity: 1000, isDurable: false)
        #expect(undisturbed.contains("offer/3") && undisturbed.contains("notification.deleted"))
        for isDurable in [false, true] {
            let tight = try Self.decisions(batch: batch, capacity: capacity, isDurable: isDurable)
            #expect(tight == undisturbed)
        }
    }
}
