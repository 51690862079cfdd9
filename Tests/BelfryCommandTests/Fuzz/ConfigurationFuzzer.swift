import BelfryEngine
import BelfryStore
import Foundation
import FuzzInput
import Testing

@testable import BelfryConfiguration
@testable import BelfryCore
@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

/// Configurations that are nearly right, read, compiled with the bundled plugins, and run over a few signals.
struct ConfigurationFuzzer {
    private var mutator: Mutator
    private let corpus: [[UInt8]]
    private let place: Workplace
    private let providers: Providers
    private let services: HostServices
    private let signals: [UInt8]
    /// How many were right still, and how many were refused with a reason.
    private(set) var (taken, refused) = (0, 0)

    private static let tokens = [
        "null", "~", "[]", "{}", "{", "}", "[", "]", ":", ": ", "- ", "? ", "#", "&a", "*a", "&a [*a, *a]", "!!str",
        "!x", "|", ">-",
        "---", "...", "\t", "\n", "\n  ", "\"", "'", "%", "@", "`", "<<: *a", "-1", "0", "1e400", ".inf", ".nan",
        "0x7FFFFFFFFFFFFFFFF",
        "99999999999999999999", "1h", "PT5M", "0s", "-5m", "1e9d", "off", "on", "all", "true", "2026-02-30",
        "24:00-24:00", "25:61-00:00",
        "{x", "{{", "}}", "$regex", "$in", "$elemMatch", "$not", "(", "a{99999}", "[z-a]", "Mars/Olympus", "../../..",
        "é", "\u{0}", "\u{FEFF}",
        "\u{10FFFF}", "subject", "campaign", "group", "region", "data.x", "observer", "memory:", "sqlite:", "defer",
        "enter", "dwell",
    ]

    init(seed: UInt64, corpus: String) throws {
        mutator = Mutator(dice: Dice(seed: seed), tokens: Self.tokens)
        place = try Workplace(["base.yaml": corpus])
        let examples = URL(filePath: #filePath).resolvingSymlinksInPath()
            .appending(path: "../../../../Examples").standardizedFileURL
        let others = try FileManager.default.contentsOfDirectory(at: examples, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
        self.corpus = [Array(corpus.utf8)] + (try others.map { Array(try Data(contentsOf: $0)) })
        let workspace = try Workspace(
            path: place.file("base.yaml").path, executable: Command.folder.appending(path: "belfry").path,
            environment: ["XDG_CACHE_HOME": place.url.path]
        ) { _ in }
        providers = try workspace.load().providers
        services = HostServices(version: belfryVersion, zones: .system()) { _ in }
        var lines = LineFuzzer(seed: seed, corpus: try FuzzCorpus.signals)
        signals = lines.next(20)
    }

    /// One more. When it takes a minute, or brings the process down, it is still in the file `belfry-fuzz.yaml`.
    mutating func next() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "belfry-fuzz-\(getpid()).yaml")
        try Data(mutated()).write(to: file)
        alarm(60)
        do {
            let document = try ConfigurationReader().read(path: file.path)
            let catalog = try Catalog(document.configuration, providers: providers, services: services)
            try run(catalog)
            taken += 1
        } catch let failure as ConfigurationFailure {
            #expect(!failure.description.isEmpty)
            refused += 1
        } catch let problems as ConfigurationProblems {
            #expect(!problems.problems.isEmpty)
            refused += 1
        }
        alarm(0)
        try FileManager.default.removeItem(at: file)
    }

    private mutating func mutated() -> [UInt8] {
        var bytes = mutator.dice.pick(corpus)
        let other = mutator.dice.pick(corpus)
        repeat {
            if mutator.dice.happens(0.3) { moveLine(&bytes, other) } else { mutator.mutate(&bytes, with: other) }
        } while mutator.dice.happens(0.5)
        return bytes
    }

    /// Removes, repeats, indents or replaces a line.
    private mutating func moveLine(_ bytes: inout [UInt8], _ other: [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let index = lines.indices.randomElement(using: &mutator.dice)!
        switch mutator.dice.next() % 4 {
        case 0: lines.remove(at: index)
        case 1: lines.insert(lines.randomElement(using: &mutator.dice)!, at: index)
        case 2: lines[index].insert(contentsOf: "  ".utf8, at: 0)
        default: lines[index] = Array(other.split(separator: 0x0A).randomElement(using: &mutator.dice)!)
        }
        bytes = Array(lines.joined(separator: [0x0A]))
    }

    private func run(_ catalog: Catalog) throws {
        let (input, sink) = (
            open(place.file("in").path, O_RDWR | O_CREAT | O_TRUNC, 0o600), open("/dev/null", O_WRONLY)
        )
        defer { [input, sink].forEach { close($0) } }
        _ = signals.withUnsafeBytes { pwrite(input, $0.baseAddress, $0.count, 0) }
        let runner = try Runner(
            .threads(Workspace.Loaded(providers: providers, catalog: catalog)),
            store: OpenStore(MemoryStore(), isDurable: false),
            decisions: ByteOutput(sink, name: "out"), rejects: ByteOutput(sink, name: "rejects"), warn: { _ in })
        #expect(try runner.run(SignalInput(input)).lines > 0)
    }
}
