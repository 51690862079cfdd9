import Foundation
import Testing

/// Files that decisions are appended to, and what is none.
@Suite struct FileSinkTests {
    private static func configuration(_ path: String) -> String {
        """
        app: shop
        store: sqlite:s.db
        campaigns: [ { id: sale, message: Now } ]
        sinks: [ { id: copy, type: file, path: \(path) } ]
        """
    }

    private static func request(_ number: Int) -> String {
        #"{"id":"s-\#(number)","type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","#
            + #""data":{"campaign":"sale"}}"# + "\n"
    }

    @Test func `a whole decision whose end is lost stays`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration("copy.jsonl")])
        let first = try place.belfry("run", input: Self.request(1))
        try place.write(String(first.output.dropLast()), to: "copy.jsonl")
        let second = try place.belfry("run", input: Self.request(2))
        #expect(try place.text(of: "copy.jsonl") == first.output + second.output)
    }

    @Test func `a line that another program has not ended is ended, also while the sink has the file open`()
        async throws
    {
        let place = try Workplace(["belfry.yaml": Self.configuration("copy.jsonl")])
        let service = try LiveService(in: place)
        for number in 1...2 {
            #expect(try await service.post(Self.request(number), as: "application/x-ndjson").status == 200)
            try await service.wait("/v1/sinks/copy", for: #""delivered":\#(number)"#)
            let file = try FileHandle(forWritingTo: place.file("copy.jsonl"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("half \(number)".utf8))
            try file.close()
        }
        #expect(service.stop() == 0)
        let lines = try place.text(of: "copy.jsonl").split(separator: "\n")
        #expect(lines.map { $0.prefix(6) } == ["{\"spec", "half 1", "{\"spec", "half 2"], "\(lines)")
    }

    @Test(arguments: ["pipe", "/dev/null", "folder"])
    func `what keeps no lines is refused`(path: String) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration(path)])
        try #require(mkfifo(place.file("pipe").path, 0o600) == 0)
        try FileManager.default.createDirectory(at: place.file("folder"), withIntermediateDirectories: false)
        let result = try place.belfry("run", input: Self.request(1))
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("the sink 'copy' cannot be used\n  why: '"), "\(result.errors)")
        #expect(
            result.errors.hasSuffix(
                """
                \(path)' cannot be written: it is a folder, a pipe or a device, which keeps no lines
                  fix: give the sink the 'path' of a file; a program is given decisions by a sink of the type 'exec'

                """), "\(result.errors)")
    }
}
