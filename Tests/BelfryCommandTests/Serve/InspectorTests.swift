import BelfryModel
import Foundation
import Testing

/// The page of `belfry serve`, looked at and used in a real browser.
///
/// With `BELFRY_PICTURES=FOLDER`, pictures of it are left there.
@Suite(.serialized) final class InspectorTests {
    private static let views = ["live", "subjects", "subjects/ana", "chain", "silences", "service"]
    private let browser: Browser
    private let place: Workplace
    private let service: LiveService

    init() async throws {
        let morning = "2026-03-02T09:00:00Z"
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: "memory:"
            # What is asked, in this order.
            chain:
              - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
              - { strategy: max-per-period, id: daily, parameters: { max: 3, period: 1d } }
            campaigns:
              - { id: hello, message: Hello, triggers: [ { on: request } ] }
              - { id: "<b>bold</b>", message: "<img src=x>", triggers: [ { on: request } ] }
            """
        ])
        service = try LiveService(in: place, "--clock", "signals")
        let lines = ["ana", "ben", "<i>cleo</i>"].flatMap { subject in
            (0..<3).map { Self.request("hello", of: subject, at: morning, id: "\(subject)-\($0)") }
                + [Self.request("<b>bold</b>", of: subject, at: morning, id: "\(subject)-3")]
        }
        let answer = try await service.post(lines.joined(separator: "\n"), as: "application/x-ndjson")
        try #require(answer.text.contains("notification.suppressed"))
        browser = try Browser()
    }

    private static func request(_ campaign: String, of subject: String, at time: String, id: String) -> String {
        #"{"id":"\#(id)","type":"notification.requested","subject":"\#(subject)","time":"\#(time)","#
            + #""data":{"campaign":"\#(campaign)"}}"#
    }

    /// Loads the page by the URL that `belfry serve` prints, shows a view, and waits until all requests of the view are answered.
    private func open(_ view: String, in window: SimulationPageTests.View = .all[0]) throws {
        // Another address each time, so that it is loaded anew.
        let page = try #require(URL(string: "\(service.api)/?\(window.name)-\(view)#token=\(service.token)"))
        try browser.open(page, width: window.width, dark: window.isDark)
        try show(view)
    }

    private func show(_ view: String) throws {
        try browser.see("location.hash = '#/\(view)'")
        try waitForView(view)
    }

    /// The address changes first, and the title when the view is there.
    private func waitForView(_ path: String) throws {
        let title = path.contains("/") ? String(path.split(separator: "/").last!) : path.capitalized
        try wait(
            "location.hash === '#/\(path)' && document.title === '\(title) – Belfry' && document.querySelector('main h1')"
                + " && !document.querySelector('.waiting')")
    }

    /// Waits until something is true of the page.
    private func wait(_ condition: String) throws {
        try browser.see(
            """
            await new Promise((done, fail) => {
              const end = Date.now() + 30000;
              const look = () => (\(condition)) ? done() : Date.now() > end ? fail(new Error(\(Value.text(condition).json))) : setTimeout(look, 20);
              look();
            })
            """)
    }

    private func text(of selector: String = "main") throws -> String {
        try #require(browser.see("document.querySelector('\(selector)').innerText")?.text)
    }

    private func keepPicture(_ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["BELFRY_PICTURES"] else { return }
        try browser.picture().write(to: URL(filePath: folder).appending(path: "inspector-\(name).png"))
    }

    // MARK: Every view

    @Test(arguments: SimulationPageTests.View.all)
    func `every view loads nothing from elsewhere, complains of nothing, fits its window and can be read`(
        window: SimulationPageTests.View
    ) throws {
        for view in Self.views {
            try open(view, in: window)
            try keepPicture("\(window.name)-\(view.replacing("/", with: "-"))")
            try browser.openEverything()
            #expect(try browser.overflow(of: window.width) == [], "\(view)")
            let contrast = try browser.contrast()
            #expect(contrast.poor == [], "\(view)")
            #expect(contrast.count > 15, "\(view)")
            #expect(
                browser.addresses.filter { !$0.hasPrefix(service.api + "/") && !$0.hasPrefix("data:") } == [], "\(view)"
            )
            #expect(browser.complaints == [], "\(view)")
            #expect(
                try browser.see("document.querySelectorAll('main img, main i, main script').length") == 0, "\(view)")
        }
    }

    @Test func `every view is two keys away, and the keyboard comes everywhere in it and is seen there`() throws {
        try open("live")
        for (key, view) in [("s", "subjects"), ("c", "chain"), ("i", "silences"), ("v", "service"), ("l", "live")] {
            try browser.see("document.activeElement.blur()")
            for key in ["g", key] { try browser.press(key) }
            try waitForView(view)
            #expect(try browser.see("document.querySelector('[aria-current=page]').dataset.path") == .text(view))
            let (count, missed, unseen) = try browser.goThroughByTab()
            #expect(count > 8, "\(view)")
            #expect(missed == [], "\(view)")
            #expect(unseen == [], "\(view)")
        }
    }

    @Test func `whoever has no token is asked for one, and a wrong one is told so`() throws {
        try browser.open(try #require(URL(string: "\(service.api)/")))
        try wait("document.querySelector('input[type=password]')")
        #expect(browser.complaints == [])
        for (token, words) in [("wrong", "take the one in the address"), (service.token, "Live")] {
            try browser.write(token)
            try browser.press("Enter")
            try wait("document.body.innerText.includes(\(Value.text(words).json))")
        }
        try wait("!document.getElementById('views').hidden")
        #expect(try browser.see("location.href.includes('token')") == false)
    }

    // MARK: What is done in them

    @Test func `a signal that is posted rings on the page`() async throws {
        try open("live")
        #expect(try !text().contains("eva"))
        let line = Self.request("hello", of: "eva", at: "2026-03-02T09:00:01Z", id: "eva-0")
        _ = try await service.post(line, as: "application/cloudevents+json")
        try wait("document.querySelector('main').innerText.includes('eva')")
    }

    @Test func `a subject is found by the beginning of its id, and says why not now, and until when`() throws {
        try open("live")
        try browser.press("/")
        try wait("document.activeElement?.id === 'search'")
        try browser.write("an")
        try wait("document.querySelectorAll('.names a').length === 1")
        for key in ["ArrowDown", "Enter"] { try browser.press(key) }
        let latest =
            "[...document.querySelectorAll('main button')].find((one) => one.textContent === 'At its latest signal')"
        try waitForView("subjects/ana")
        try browser.see("\(latest).focus()")
        try browser.press("Enter")
        try wait("document.querySelector('.why time[datetime=\"2026-03-02T10:00:00Z\"]')")
        let why = try text(of: ".why")
        for words in ["hello", "cooldown", "the last one was created less than 1h ago"] {
            #expect(why.contains(words), "\(why)")
        }
    }

    @Test func `an entry is moved and switched by the keyboard, and the file says so`() throws {
        try open("chain")
        func entries() throws -> Value? {
            try browser.see("[...document.querySelectorAll('.entry h3 bdi')].map((one) => one.textContent)")
        }
        #expect(try entries() == ["cooldown", "daily"])
        try browser.see("document.querySelector('.entry button:not(:disabled)').focus()")
        try browser.press("ArrowDown", alt: true)
        try wait("document.querySelector('.entry h3 bdi').textContent === 'daily'")
        try browser.see("document.querySelector('[data-key=\"Switch daily\"]').focus()")
        try browser.press("Enter")
        try wait("document.querySelector('.entry.off h3 bdi')?.textContent === 'daily'")
        #expect(try browser.see("document.activeElement.dataset.key") == "Switch daily")
        let file = try place.text(of: "belfry.yaml")
        #expect(file.contains("# What is asked, in this order."))
        let daily = try #require(file.range(of: "daily")), cooldown = try #require(file.range(of: "cooldown"))
        #expect(daily.lowerBound < cooldown.lowerBound)
        #expect(file.contains("enabled: false"))
        #expect(browser.complaints == [])
    }

    @Test func `a silence is made and expired on the page`() async throws {
        try open("silences")
        try browser.see("document.querySelector('main textarea').focus()")
        try browser.write("campaign=hello")
        try browser.press("Tab")
        for words in ["dana", "a sale too many"] {
            try browser.press("Tab")
            try browser.write(words)
        }
        try browser.press("Enter")
        try wait("document.querySelector('.card .mark')?.textContent === 'active'")
        let told = try await service.get("/api/v2/silences").text
        for words in ["campaign", "hello", "dana", "a sale too many"] { #expect(told.contains(words)) }
        try browser.click(".card button")
        try wait("document.querySelector('dialog[open]')")
        try browser.click("dialog[open] .grave, dialog[open] .main")
        try wait("document.querySelector('main').innerText.includes('Nothing is silenced.')")
        #expect(try await service.get("/api/v2/silences").text.contains(#""state":"expired""#))
        #expect(browser.complaints == [])
    }
}
