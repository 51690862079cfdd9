import Foundation
import Testing

/// What the system refuses during a run: it is said in words, and when the fault is gone the next run makes good.
@Suite struct FaultTests {
    private static func victim() throws -> Victim {
        try Victim(BusyDay.configuration(batch: 5), signals: BusyDay.signals(80, seed: 2))
    }

    /// What a user reads when something cannot be written.
    struct Refusal: Sendable, CustomTestStringConvertible {
        /// A part of the path of the files that are struck, and the calls on them.
        let file: String
        let calls: [Int]
        let how: Strike.How
        let text: String
        var testDescription: String { "\(file) \(how)" }
    }

    @Test(arguments: [
        Refusal(
            file: "/s.db", calls: [2, 5], how: .full,
            text: """
                cannot open store 's.db'
                  why: there is no room left on its disk
                  fix: free some space, and start a run again; a service goes on by itself. Everything committed before is kept
                """),
        Refusal(
            file: "/s.db.journal/", calls: [9, 12], how: .full,
            text: """
                cannot write to the journal 's.db.journal'
                  why: there is no room left on its disk
                  fix: free some space, and start a run again; a service goes on by itself. Everything before is kept
                """),
        Refusal(
            file: "/s.db.journal/", calls: [10, 13], how: .broken,
            text: """
                cannot use the journal 's.db.journal'
                  why: the system reports for '00000000000000000001.segment': Input/output error
                  fix: check the folder and the disk, and that this user may write there
                """),
        Refusal(
            file: "/decisions.jsonl", calls: [1, 2, 3, 4], how: .full,
            text: """
                cannot write to 'decisions.jsonl'
                  why: No space left on device
                  fix: check the file, the disk or the program that reads it; what is in the store is safe
                """),
        Refusal(
            file: "/rejects.jsonl", calls: [1, 2], how: .full,
            text: """
                cannot write to 'rejects.jsonl'
                  why: No space left on device
                  fix: check the file, the disk or the program that reads it; what is in the store is safe
                """),
    ])
    func `what cannot be written is told of, and nothing is lost`(refusal: Refusal) throws {
        let wanted = try Self.victim().remainsUndisturbed()
        for call in refusal.calls {
            let victim = try Self.victim()
            let struck = try victim.live(Strike(call: call, how: refusal.how, file: refusal.file))
            #expect(
                struck.status == 1 && struck.withoutWarnings == refusal.text + "\n", "call \(call): \(struck.errors)")
            try victim.live()
            expectSame(try victim.remains(), wanted, "\(refusal.how) at call \(call) on \(refusal.file)")
        }
    }

    /// A limit of the shell, and so without anything that pretends.
    @Test func `a file that may not grow is told of`() throws {
        let place = try Self.victim().place
        // Plugins are copied where they were never used, which the limit would not let pass.
        #expect(try place.belfry("strategies").status == 0)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        let belfry = Command.folder.appending(path: "belfry").path
        shell.arguments = [
            "-c", "ulimit -f 2; exec '\(belfry)' run --signals signals.jsonl --output decisions.jsonl 2>&1 | tail -n 3",
        ]
        shell.currentDirectoryURL = place.url
        shell.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"]
        let pipe = Pipe()
        shell.standardOutput = pipe
        try shell.run()
        let said = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(
            said == """
                cannot write to 'decisions.jsonl'
                  why: File too large
                  fix: check the file, the disk or the program that reads it; what is in the store is safe

                """)
    }

    @Test(arguments: ["", "/s.db", "/decisions.jsonl", "/signals.jsonl", "/rejects.jsonl"])
    func `a system that reads and writes a few bytes at a time changes nothing`(file: String) throws {
        let (undisturbed, victim) = (try Self.victim(), try Self.victim())
        let wanted = try undisturbed.remainsUndisturbed()
        // Four lives, so that there is something to read back.
        for call in [60, 30, 20] {
            _ = try victim.live(Strike(call: call, how: .half, file: Load.places))
        }
        let last = try victim.live(Strike(call: 1, how: .short, file: victim.place.url.lastPathComponent + file))
        #expect(last.status == 3, "\(last.errors)")
        expectSame(try victim.remains(), wanted, "a few bytes at a time of \(file)")
    }

    @Test func `signals that cannot be read are told of, and nothing is lost`() throws {
        let (undisturbed, victim) = (try Self.victim(), try Self.victim())
        let struck = try victim.live(Strike(call: 1, how: .unreadable, file: "/signals.jsonl"))
        #expect(struck.status == 1)
        #expect(
            struck.withoutWarnings == """
                cannot read the signals
                  why: Input/output error
                  fix: check the file or the pipe that --signals names

                """)
        try victim.live()
        expectSame(try victim.remains(), try undisturbed.remainsUndisturbed(), "after a fault in reading")
    }

    // MARK: Missing rights

    /// An unprivileged user's rights, for files in `folder` alone.
    private func asNobody(_ place: Workplace, in folder: String, _ arguments: [String]) throws -> Command.Result {
        let rights = Strike(call: 0, how: .asNobody, file: folder)
        return try place.belfry(arguments, input: Data(), environment: rights.environment)
    }

    private func lockedPlace() throws -> Workplace {
        let place = try Self.victim().place
        for name in ["open", "locked"] {
            try FileManager.default.createDirectory(at: place.file(name), withIntermediateDirectories: true)
        }
        _ = try place.belfry("run", "--signals", "signals.jsonl", "--store", "sqlite:locked/s.db")
        try place.write(BusyDay.configuration(batch: 20), to: "locked/secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: place.file("locked/secret").path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: place.file("locked").path)
        return place
    }

    @Test(arguments: [
        (
            ["run", "--store", "sqlite:locked/s.db"],
            """
            cannot open store 'locked/s.db'
              why: the system refuses access to '/locked/s.db.lock': Permission denied
              fix: give this user write access to the file and its folder, or name a store elsewhere
            """
        ),
        (
            ["run", "--store", "sqlite:locked/new.db"],
            """
            cannot open store 'locked/new.db'
              why: the system refuses access to '/locked/new.db.lock': Permission denied
              fix: give this user write access to the file and its folder, or name a store elsewhere
            """
        ),
        (
            ["state", "list", "--store", "sqlite:locked/s.db"],
            """
            cannot open store 'locked/s.db'
              why: SQLite may not write to it or to its '-wal' and '-shm' files, which reading needs too: attempt to write a \
            readonly database
              fix: give this user write access to the file and its folder, or work on a copy elsewhere
            """
        ),
        (
            ["run", "--output", "locked/decisions.jsonl"],
            """
            cannot write 'locked/decisions.jsonl'
              why: Permission denied
              fix: check the folder and its permissions
            """
        ),
        (
            ["run", "--rejects", "locked/rejects.jsonl"],
            """
            cannot write 'locked/rejects.jsonl'
              why: Permission denied
              fix: check the folder and its permissions
            """
        ),
        (
            ["run", "--signals", "locked/secret"],
            """
            cannot read 'locked/secret'
              why: Permission denied
              fix: check the name that --signals gives
            """
        ),
        (
            ["run", "--config", "locked/secret"],
            """
            locked/secret
              found: a file that cannot be read
              expected: a configuration file
              fix: check its permissions and those of its directories
            """
        ),
    ])
    func `what this user may not do is told of`(arguments: [String], text: String) throws {
        let place = try lockedPlace()
        defer { chmod(place.file("locked").path, 0o755) }
        let result = try asNobody(place, in: "locked/", arguments)
        #expect(result.status == 1 || result.status == 2)
        #expect(result.withoutWarnings.replacing(place.url.path, with: "") == text + "\n")
    }
}
