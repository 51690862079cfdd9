import Foundation
import Testing

/// Where output goes, and input comes from, that is no file.
@Suite struct OutputTests {
    private let place: Workplace

    init() throws {
        let signals = (0..<3000).map { number in
            #"{"type":"notification.requested","subject":"u\#(number)","time":"2026-03-02T09:00:00Z","data":{"campaign":"offer"}}"#
        }
        place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: offer, message: Now } ]\n",
            "signals.jsonl": signals.asFile, "one.jsonl": signals[0] + "\n", "odd.jsonl": signals[0] + "\nnonsense\n",
        ])
    }

    /// - Returns: what the script prints.
    private func shell(_ script: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = place.url
        process.environment = [
            "XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin",
            "belfry": Command.folder.appending(path: "belfry").path,
        ]
        (process.standardOutput, process.standardError) = (output, FileHandle.nullDevice)
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.end()
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a named pipe waits for its reader, who gets all of it`() throws {
        let script = "mkfifo f; $belfry run --signals one.jsonl --output f & cat f; wait $!; echo $?"
        let lines = try shell(script).split(separator: "\n")
        #expect(lines.count == 2 && lines.last == "0", "\(lines)")
    }

    @Test func `a reader that goes away ends the run`() throws {
        let script =
            "{ timeout 60 $belfry run --store memory: --signals signals.jsonl --output /dev/stdout; echo $? > status; } | head -c 10"
        _ = try shell(script)
        #expect(try place.text(of: "status") == "1\n")
    }

    @Test func `an input that is closed cannot be read`() throws {
        #expect(try shell("timeout 60 $belfry run <&- 2>errors; echo $?") == "1\n")
        #expect(try place.text(of: "errors").hasPrefix("cannot read 'standard input'\n"))
    }

    @Test(arguments: ["--help", "simulate --signals odd.jsonl --against belfry.yaml"])
    func `what cannot be printed is a failure, whatever it came to`(command: String) throws {
        #expect(try shell("$belfry \(command) > /dev/full; echo $?") == "1\n")
    }

    /// What is said in between has it written, and the reason was lost with that.
    @Test func `the reason is told also where something was said in between`() throws {
        try place.write(try place.text(of: "belfry.yaml") + "trust: { mode: off }\n", to: "belfry.yaml")
        #expect(
            try shell("$belfry plugins lock 2>&1 > /dev/full; echo $?").replacing(/^warning: .*\n/, with: "")
                == Self.isFull)
    }

    @Test(arguments: ["one.jsonl", "signals.jsonl"], ["", "--follow"])
    func `decisions that cannot be printed are not waited for`(signals: String, follow: String) throws {
        try place.write(try place.text(of: "belfry.yaml") + "store: sqlite:belfry.db\n", to: "belfry.yaml")
        try #require(try place.belfry("run", "--signals", signals, "--output", "decisions.jsonl").status == 0)
        let command = "timeout 60 $belfry decisions tail --lines 100 \(follow)"
        #expect(try shell("\(command) 2>&1 > /dev/full; echo $?") == Self.isFull)
        let service = try LiveService(in: place)
        #expect(
            try shell("\(command) --url \(service.api) --token \(service.token) 2>&1 > /dev/full; echo $?")
                == Self.isFull)
    }

    private static let isFull = """
        cannot write to standard output
          why: No space left on device
          fix: check the file, the disk or the program that reads it
        1

        """

    @Test(arguments: [
        ["state", "export", "u0"], ["state", "export", "--all"], ["decisions", "show", "u0:1"], ["decisions", "tail"],
        ["sinks", "show", "copy"], ["config", "schema"],
    ])
    func `what is JSON in any case may be asked for as JSON`(command: [String]) throws {
        let settings = "store: sqlite:belfry.db\nsinks: [ { id: copy, type: file, path: copy.jsonl } ]\n"
        try place.write(try place.text(of: "belfry.yaml") + settings, to: "belfry.yaml")
        try #require(try place.belfry("run", "--signals", "one.jsonl").status == 0)
        let (plain, json) = (
            try place.belfry(command, input: Data()), try place.belfry(command + ["--json"], input: Data())
        )
        #expect(plain.status == 0 && plain.output.hasPrefix("{"), "\(plain.errors)")
        #expect(json.status == 0 && json.output == plain.output, "\(json.errors)")
    }

    @Test(arguments: ["thread", "process"])
    func `a question about what is not there is wrong use`(isolation: String) throws {
        let settings = "isolation: \(isolation)\nstore: sqlite:belfry.db\n"
        try place.write(try place.text(of: "belfry.yaml") + settings, to: "belfry.yaml")
        #expect(try place.belfry("run", "--signals", "one.jsonl").status == 0)
        let result = try place.belfry("explain", "--subject", "u0", "--campaign", "nope")
        #expect(result.status == 2, "\(result.errors)")
    }
}
