import Foundation
import Testing

/// `Examples/embed-c` and `embed-python` decide what `belfry run` decides, byte by byte, with `libbelfry` that was built.
@Suite struct EmbeddingExampleTests {
    /// What a run over the demo's day decides, and what another program over `libbelfry` does.
    private static func outputs(_ script: String) throws -> (run: String, embedded: String) {
        let place = try Workplace()
        let repository = PluginFiles.repository.path
        let (status, output) = try place.shell(
            """
            set -e
            bin="$(dirname "$(readlink -f "$(command -v belfry)")")"
            ln -sf libBelfryLibrary.so "$bin/libbelfry.so"
            cp -r \(repository)/Examples/demo \(repository)/Examples/embed-c \(repository)/Examples/embed-python .
            cat demo/morning.jsonl demo/afternoon.jsonl > day.jsonl
            echo '{"type":"clock.advanced","time":"2030-01-01T00:00:00Z"}' >> day.jsonl
            belfry run --config demo/belfry.yaml --store memory: --signals day.jsonl --output run.jsonl
            \(script)
            """)
        try #require(status == 0, "\(output)")
        return (try place.text(of: "run.jsonl"), try place.text(of: "embedded.jsonl"))
    }

    @Test func `a program in C decides the same`() throws {
        let outputs = try Self.outputs(
            """
            make -s -C embed-c BELFRY="$bin" INCLUDE=\(PluginFiles.repository.path)/Sources/CBelfryCore/include
            embed-c/decide demo/belfry.yaml day.jsonl > embedded.jsonl
            """)
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `a program that keeps records in memory decides the same`() throws {
        let outputs = try Self.outputs(
            """
            make -s -C embed-c BELFRY="$bin" INCLUDE=\(PluginFiles.repository.path)/Sources/CBelfryCore/include
            embed-c/stream demo/belfry.yaml day.jsonl > embedded.jsonl
            """)
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `a program in Python decides the same`() throws {
        let outputs = try Self.outputs(
            "python3 embed-python/decide.py $bin/libbelfry.so demo/belfry.yaml day.jsonl > embedded.jsonl")
        #expect(outputs.embedded == outputs.run && outputs.run.count > 1000)
    }

    @Test func `after a tick, the clock of a subject that is behind is no trouble`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all, dwell: 10m } ] }, { id: sale } ]
            """,
            "day.jsonl": """
            {"id":"1","type":"clock.advanced","time":"2026-03-02T12:00:00Z"}
            {"id":"2","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"store"}}
            {"id":"3","type":"notification.requested","subject":"ana","time":"2026-03-02T09:05:00Z","data":{"campaign":"sale"}}

            """,
        ])
        let (status, output) = try place.shell(
            """
            set -e
            bin="$(dirname "$(readlink -f "$(command -v belfry)")")"
            ln -sf libBelfryLibrary.so "$bin/libbelfry.so"
            belfry run --store memory: --signals day.jsonl --output run.jsonl
            python3 \(PluginFiles.repository.path)/Examples/embed-python/decide.py $bin/libbelfry.so belfry.yaml day.jsonl > embedded.jsonl
            """)
        try #require(status == 0, "\(output)")
        let run = try place.text(of: "run.jsonl")
        // The dwell is over at 09:10, directly after the crossing, so the request is late.
        #expect(run.contains(#""time":"2026-03-02T09:10:00Z","cause":"3""#))
        #expect(try place.text(of: "embedded.jsonl") == run)
    }

    @Test func `what is wrong with a configuration is told`() throws {
        let place = try Workplace()
        let (status, output) = try place.shell(
            """
            bin="$(dirname "$(readlink -f "$(command -v belfry)")")"
            ln -sf libBelfryLibrary.so "$bin/libbelfry.so"
            echo 'app: shop\nchain: [ { strategy: cooldwon } ]' > belfry.yaml
            python3 \(PluginFiles.repository.path)/Examples/embed-python/decide.py $bin/libbelfry.so belfry.yaml /dev/null
            """)
        #expect(status == 1 && output.contains("belfry.yaml:2"), "\(output)")
        #expect(output.contains("cooldwon"), "\(output)")
    }
}
