import BelfryModel
import Foundation
import Testing

/// A Chromium without a window that shows one page, spoken to over a pipe in its DevTools protocol
/// (https://chromedevtools.github.io/devtools-protocol): what it is asked to do, it does as for a person at the machine.
final class Browser {
    private let process = Process()
    private let requests = Pipe()
    private let messages: LiveLines
    private let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-browser-\(UUID().uuidString)")
    private var number = 0
    private var session: String?
    /// What it said of its own accord since a page was opened: `method` and `params`.
    private(set) var events: [JSON] = []

    struct Refusal: Error { let message: String }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let answers = Pipe()
        messages = LiveLines(answers.fileHandleForReading, lineEnd: 0)
        process.executableURL = URL(filePath: "/bin/sh")
        // It reads from descriptor 3 and writes to 4, and ends when the pipe does.
        process.arguments = [
            "-c",
            #"exec "$(command -v chromium || command -v google-chrome)" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#,
            "sh", "--headless", "--no-sandbox",
            "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
            "--user-data-dir=\(folder.path)", "about:blank",
        ]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
        let hasStarted = (try? ask("Browser.getVersion")) != nil
        try #require(hasStarted, "no chromium starts here; 'make test' installs it")
        let pages = try ask("Target.getTargets")["targetInfos"]?.list ?? []
        let page = try #require(pages.first { $0.map?["type"] == "page" }?.map?["targetId"])
        session = try ask("Target.attachToTarget", ["targetId": page, "flatten": true])["sessionId"]?.text
        for domain in ["Page", "Runtime", "Log", "Network"] { try ask("\(domain).enable") }
        try ask("Page.setLifecycleEventsEnabled", ["enabled": true])
    }

    deinit {
        try? requests.fileHandleForWriting.close()
        process.end(within: 10)
        try? FileManager.default.removeItem(at: folder)
    }

    /// Shows a file, in a window of this many pixels, to a user who prefers light or dark.
    func open(_ file: URL, width: Int64 = 1280, height: Int64 = 900, dark: Bool = false) throws {
        events = []
        try ask(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(width), "height": .integer(height), "deviceScaleFactor": 1,
                "mobile": .bool(width < 500),
            ])
        try ask(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]]])
        let loader = try ask("Page.navigate", ["url": .text(file.absoluteString)])["loaderId"]
        while !events.contains(where: { $0.isEnd(of: loader) }) { try listen() }
        // Charts are drawn once they know their width.
        try see("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    }

    /// What an expression in the page comes to.
    @discardableResult func see(_ expression: String) throws -> Value? {
        let answer = try ask(
            "Runtime.evaluate",
            ["expression": .text(expression), "returnByValue": true, "awaitPromise": true, "replMode": true])
        if let exception = answer["exceptionDetails"] { throw Refusal(message: exception.json) }
        return answer["result"]?.map?["value"]
    }

    /// Clicks where the first element that is selected so is.
    func click(_ selector: String) throws {
        let place = try #require(
            see(
                """
                { const element = document.querySelector(\(Value.text(selector).json));
                  element.scrollIntoView({ block: "center", behavior: "instant" });
                  const box = element.getBoundingClientRect();
                  [box.x + box.width / 2, box.y + box.height / 2] }
                """)?.list)
        for type in ["mousePressed", "mouseReleased"] as [Value] {
            try ask(
                "Input.dispatchMouseEvent",
                ["type": type, "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
        }
    }

    /// Presses a key, as `KeyboardEvent.key` names it.
    func press(_ key: String, alt: Bool = false) throws {
        let codes: [String: Value] = [
            "Enter": 13, "Escape": 27, "Tab": 9, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
            "ArrowDown": 40,
        ]
        var event: Fields = ["type": "keyDown", "key": .text(key), "windowsVirtualKeyCode": codes[key] ?? 0]
        if key == "Enter" { event["text"] = "\r" } else if key.count == 1 { event["text"] = .text(key) }
        if alt { event["modifiers"] = 1 }
        try ask("Input.dispatchKeyEvent", event)
        event["type"] = "keyUp"
        try ask("Input.dispatchKeyEvent", event)
    }

    /// Writes a text where the focus is.
    func write(_ text: String) throws { try ask("Input.insertText", ["text": .text(text)]) }

    /// Errors and warnings of the page since it was opened: of its console, and of the browser about it.
    var complaints: [String] {
        events.filter {
            ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"].contains($0["method"]?.text)
        }.map { $0["params"]?.json ?? "" }
    }

    /// What was asked of the network or of the disk since a page was opened, the page included.
    var addresses: [String] {
        events.filter { $0["method"] == "Network.requestWillBeSent" }
            .compactMap { $0["params"]?.value(at: ["request", "url"])?.text }
    }

    /// The whole page as a picture (PNG).
    func picture() throws -> Data {
        let size = try see("[innerWidth, document.documentElement.scrollHeight]")?.list ?? []
        let clip: Value = ["x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1]
        let answer = try ask("Page.captureScreenshot", ["captureBeyondViewport": true, "clip": clip])
        return Data(base64Encoded: answer["data"]?.text ?? "") ?? Data()
    }
}

extension Browser {
    /// Asks, and waits for the answer.
    @discardableResult private func ask(_ method: String, _ parameters: Fields = [:]) throws -> Fields {
        number += 1
        var request: Fields = ["id": .integer(Int64(number)), "method": .text(method), "params": .map(parameters)]
        request["sessionId"] = session.map { .text($0) }
        try requests.fileHandleForWriting.write(contentsOf: Data(Value.map(request).json.utf8) + [0])
        while true {
            let message = try listen()
            guard message["id"]?.integer == Int64(number) else { continue }
            if let error = message["error"] { throw Refusal(message: "\(method): \(error.json)") }
            return message["result"]?.map ?? [:]
        }
    }

    @discardableResult private func listen() throws -> JSON {
        let message = try JSON(messages.next())
        if message["method"] != nil { events.append(message) }
        return message
    }
}

extension JSON {
    /// Whether it is the event that a page has been loaded with everything it needs.
    fileprivate func isEnd(of loader: Value?) -> Bool {
        let event = self["params"]?.map
        return self["method"] == "Page.lifecycleEvent" && event?["name"] == "load" && event?["loaderId"] == loader
    }
}
