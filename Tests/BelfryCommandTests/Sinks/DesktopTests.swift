import Foundation
import Testing

/// A real bus, with the notification service of python3-dbusmock on it.
@Suite struct DesktopTests {
    private static func workplace(_ sink: String = "{ id: screen, type: desktop }") throws -> Workplace {
        try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:belfry.db
            categories:
              - id: offer
                buttons:
                  - { id: yes, title: "Yes, please", action: { type: url, value: "https://shop.example/yes" } }
                  - { id: no, title: No }
            campaigns:
              - { id: sale, title: Sale, message: "<b>Half</b> price & more", category: offer }
              - { id: news, message: Read on, data: "https://shop.example/news" }
            sinks:
              - \(sink)
              - { id: copy, type: file, path: copy.jsonl }
            """
        ])
    }

    private func request(
        _ campaign: String, of subject: String, _ more: String = "", to service: LiveService
    ) async throws {
        let line =
            #"{"type":"notification.requested","subject":"\#(subject)","data":{"campaign":"\#(campaign)"\#(more)}}"#
        #expect(try await service.post(line, as: "application/x-ndjson").status == 200)
    }

    @Test func `a notification is shown with its buttons; a tap opens it, its deletion closes it`() async throws {
        let (session, place) = (try DesktopSessionBench(), try Self.workplace())
        try session.startService()
        let service = try LiveService(in: place, environment: session.environment)
        try await request("sale", of: "ana", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":1"#)
        let shown =
            #"Notify "belfry" 0 "" "Sale" "&lt;b&gt;Half&lt;/b&gt; price &amp; more" ["default", "Open", "yes", "Yes, please", "no", "No"] {"urgency": 1} -1"#
        #expect(session.calls.contains(shown), "\(session.calls)")
        try session.emit("ActionInvoked", "us", "dbus.UInt32(1), 'yes'")
        let opened = try await service.wait("/v1/decisions?subject=ana", for: "action.invoked")
        #expect(opened.contains(#""cause":"ana:1/screen/notification.opened/yes""#), "\(opened)")
        #expect(opened.contains(#""button":"yes""#) && opened.contains(#""value":"https://shop.example/yes""#))
        try await request("news", of: "bob", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":2"#)
        #expect(session.calls.contains(#"Notify "belfry" 0 "" "Read on" "" ["default", "Open"]"#))
        try await request("news", of: "bob", #","delete":true"#, to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":3"#)
        #expect(session.calls.contains("CloseNotification 2"), "\(session.calls)")
        #expect(service.stop() == 0)
    }

    @Test func `the notification itself is tapped, and another is swiped away`() async throws {
        let (session, place) = (try DesktopSessionBench(), try Self.workplace())
        try session.startService()
        let service = try LiveService(in: place, environment: session.environment)
        try await request("news", of: "ana", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":1"#)
        try await request("news", of: "bob", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":2"#)
        // One that has expired can still be opened.
        try session.emit("NotificationClosed", "uu", "dbus.UInt32(1), dbus.UInt32(1)")
        try session.emit("NotificationClosed", "uu", "dbus.UInt32(2), dbus.UInt32(2)")
        try session.emit("ActionInvoked", "us", "dbus.UInt32(2), 'default'")
        try session.emit("ActionInvoked", "us", "dbus.UInt32(1), 'default'")
        let opened = try await service.wait("/v1/decisions", for: "notification.opened")
        #expect(opened.contains(#""cause":"ana:1/screen/notification.opened""#), "\(opened)")
        #expect(!opened.contains(#""button""#) && !opened.contains("bob:1/screen/notification.opened"))
    }

    @Test func `what a service does not know is left out, and what is configured goes along`() async throws {
        let session = try DesktopSessionBench()
        let place = try Self.workplace(
            "{ id: screen, type: desktop, name: Shop, icon: dialog-information, urgency: critical, visible: 10s }")
        try session.startService(capabilities: "body")
        let service = try LiveService(in: place, environment: session.environment)
        try await request("sale", of: "ana", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":1"#)
        let shown =
            #"Notify "Shop" 0 "dialog-information" "Sale" "<b>Half</b> price & more" [] {"urgency": 2} 10000"#
        #expect(session.calls.contains(shown), "\(session.calls)")
    }

    @Test func `without a notification service it says what to do; one that comes back is another one`() async throws {
        let (session, place) = (try DesktopSessionBench(), try Self.workplace())
        let service = try LiveService(in: place, environment: session.environment)
        try await request("news", of: "ana", to: service)
        try await service.wait(
            "/v1/sinks/screen", for: "has no notification service; start one in its session, such as dunst")
        try session.startService()
        _ = try await service.post("", as: nil, to: "/v1/sinks/screen/resume")
        try await service.wait("/v1/sinks/screen", for: #""delivered":1"#)
        session.stopService()
        try session.startService()
        // It counts from 1 again: that is bob's now, and ana's is no more.
        try await request("news", of: "bob", to: service)
        try await service.wait("/v1/sinks/screen", for: #""delivered":2"#)
        try session.emit("ActionInvoked", "us", "dbus.UInt32(1), 'default'")
        let opened = try await service.wait("/v1/decisions", for: "notification.opened")
        #expect(opened.contains("bob:1/screen/notification.opened"), "\(opened)")
        #expect(!opened.contains("ana:1/screen/notification.opened"))
    }

    @Test func `a bus that is not there, or goes away, is connected to again`() async throws {
        let (session, place) = (try DesktopSessionBench(), try Self.workplace())
        session.stopBus()
        let service = try LiveService(in: place, environment: session.environment)
        try await request("news", of: "ana", to: service)
        try await service.wait("/v1/sinks/screen", for: "cannot be reached: ")
        for subject in ["bob", "cem"] {
            try session.startBus()
            try session.startService()
            _ = try await service.post("", as: nil, to: "/v1/sinks/screen/resume")
            try await request("news", of: subject, to: service)
            try await service.wait("/v1/sinks/screen", for: #""waiting":0"#)
            if subject == "bob" { session.stopBus() }
        }
        // On another bus it has the name and the number that were ana's.
        try session.emit("ActionInvoked", "us", "dbus.UInt32(1), 'default'")
        let opened = try await service.wait("/v1/decisions", for: "notification.opened")
        #expect(opened.contains("cem:1/screen/notification.opened"), "\(opened)")
        #expect(try await service.get("/v1/sinks/screen").text.contains(#""delivered":3"#))
        #expect(service.stop() == 0)
    }

    @Test func `without a session it says so`() throws {
        let place = try Self.workplace()
        let line =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"news"}}"#
        let result = try place.belfry("run", input: line + "\n")
        #expect(
            result.errors.contains(
                "warning: sink 'screen' fails: the desktop cannot be reached: DBUS_SESSION_BUS_ADDRESS is not set; start"
            ),
            "\(result.errors)")
    }

    @Test func `one that does not answer delays nobody, and not the end`() async throws {
        let (session, place) = (try DesktopSessionBench(), try Self.workplace())
        try session.startService()
        session.haltService()
        let service = try LiveService(in: place, environment: session.environment)
        for subject in ["ana", "bob"] { try await request("news", of: subject, to: service) }
        try await service.wait("/v1/sinks/copy", for: #""delivered":2"#)
        #expect(try await service.get("/v1/sinks/screen").text.contains(#""waiting":2"#))
        let start = ContinuousClock.now
        #expect(service.stop() == 0)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}

/// A session: a bus at an address of its own, and a notification service that can go and come back.
private final class DesktopSessionBench {
    private let folder = try? Workplace([:])
    private let path: String
    private var bus: Process?
    private var service: Process?

    init() throws {
        path = try #require(folder).file("bus").path
        try startBus()
    }

    deinit { stopBus() }

    var environment: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)"] }

    func startBus() throws {
        // Not the system's configuration: it would start what is installed on this machine.
        let configuration = """
            <busconfig><type>session</type><listen>unix:path=\(path)</listen>
            <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
            </busconfig>
            """
        try #require(folder).write(configuration, to: "bus.conf")
        let file = try #require(folder).file("bus.conf").path
        bus = try Self.start("/usr/bin/dbus-daemon", ["--nofork", "--nopidfile", "--config-file=\(file)"], [:])
        try until("the bus is there") { FileManager.default.fileExists(atPath: path) }
    }

    func stopBus() {
        stopService()
        bus?.end(within: 0)
        bus = nil
        try? FileManager.default.removeItem(atPath: path)
    }

    func startService(capabilities: String = "body body-markup actions") throws {
        let log = try #require(folder).file("calls.log").path
        service = try Self.start(
            "/usr/bin/python3",
            [
                "-m", "dbusmock", "--logfile", log, "--template", "notification_daemon",
                "--parameters", #"{"capabilities": "\#(capabilities)"}"#,
            ], environment)
        try until("the service is there") {
            try python("print(dbus.SessionBus().name_has_owner('org.freedesktop.Notifications'))").contains("True")
        }
    }

    func stopService() {
        service?.end(within: 0)
        service = nil
    }

    /// It takes calls, and does not answer.
    func haltService() { if let service { kill(service.processIdentifier, SIGSTOP) } }

    /// What the service was asked for, as it notes it.
    var calls: String { (try? folder?.text(of: "calls.log")) ?? "" }

    func emit(_ signal: String, _ signature: String, _ arguments: String) throws {
        _ = try python(
            """
            bus = dbus.SessionBus()
            service = bus.get_object("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
            service.EmitSignal("org.freedesktop.Notifications", "\(signal)", "\(signature)", [\(arguments)],
                               dbus_interface="org.freedesktop.DBus.Mock")
            """)
    }

    private func python(_ text: String) throws -> String {
        let output = Pipe()
        let process = try Self.start("/usr/bin/python3", ["-c", "import dbus\n" + text], environment, output)
        let data = try output.fileHandleForReading.readToEnd()
        process.end()
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private static func start(
        _ program: String, _ arguments: [String], _ environment: [String: String], _ output: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        (process.executableURL, process.arguments) = (URL(filePath: program), arguments)
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        try process.run()
        return process
    }

    private func until(_ what: String, _ holds: () throws -> Bool) throws {
        for _ in 0..<600 {
            if try holds() { return }
            usleep(50_000)
        }
        Issue.record("not within half a minute: \(what)")
    }
}
