import BelfryModel
import Foundation
import Testing

/// The page of `belfry simulate --report`, looked at and used in a real browser.
///
/// With `BELFRY_PICTURES=FOLDER`, pictures of it are left there.
@Suite(.serialized) struct SimulationPageTests {
    private let browser: Browser
    private let page: SimulatedPage

    init() throws {
        (browser, page) = try Self.scene()
        try browser.open(page.url)
    }

    // Made once, and used by one test after the other.
    nonisolated(unsafe) private static var made: (browser: Browser, page: SimulatedPage)?

    private static func scene() throws -> (Browser, SimulatedPage) {
        if let made { return made }
        let new = (browser: try Browser(), page: try SimulatedPage())
        made = new
        atexit { SimulationPageTests.made = nil }
        return new
    }

    struct View: Sendable, CustomTestStringConvertible {
        let name: String
        let width: Int64
        let isDark: Bool
        var testDescription: String { name }

        static let all = [
            View(name: "desktop-light", width: 1280, isDark: false),
            View(name: "desktop-dark", width: 1280, isDark: true),
            View(name: "phone-light", width: 360, isDark: false), View(name: "phone-dark", width: 360, isDark: true),
        ]
    }

    @Test(arguments: View.all)
    func `the page loads nothing, complains of nothing, fits its window and can be read`(view: View) throws {
        try browser.open(page.url, width: view.width, dark: view.isDark)
        try keepPicture(view.name)
        try browser.openEverything()
        #expect(try browser.overflow(of: view.width) == [])
        let contrast = try browser.contrast()
        #expect(contrast.poor == [])
        #expect(contrast.count > 200)
        #expect(browser.addresses == [page.url.absoluteString])
        #expect(browser.complaints == [])
        try keepPicture(view.name + "-open")
    }

    private func keepPicture(_ name: String) throws {
        guard let folder = ProcessInfo.processInfo.environment["BELFRY_PICTURES"] else { return }
        try browser.picture().write(to: URL(filePath: folder).appending(path: "\(name).png"))
    }

    @Test func `the page holds what --json prints`() throws {
        let data = try #require(browser.see("document.getElementById('data').textContent")?.text)
        #expect(try JSON(data) == page.report)
    }

    @Test func `the headline is in the page without a script`() throws {
        let (a, b) = (try page.count("a", "created"), try page.count("b", "created"))
        #expect(a > b && b > 0)
        let html = try String(contentsOf: page.url, encoding: .utf8)
        #expect(html.contains("With B, \(a - b) fewer notifications are created: \(b) instead of \(a).</h1>"))
        #expect(html.contains("<th scope=\"row\">Created</th><td>\(a)</td><td>\(b)</td><td>−\(a - b)<small>"))
    }

    @Test func `names from outside stay text`() throws {
        try browser.openEverything()
        let text = try #require(browser.see("document.body.innerText")?.text)
        for name in [SimulatedPage.image, SimulatedPage.script] { #expect(text.contains(name)) }
        #expect(try browser.see("document.querySelectorAll('img, main script, main style').length") == 0)
        #expect(try browser.see("document.scripts.length") == 2)
        #expect(try browser.see("document.title") == "a.yaml against b.yaml")
    }

    @Test func `a table is sorted by a click, and by Enter`() throws {
        let campaigns = "[...document.querySelectorAll('#campaigns tbody th')].map((cell) => cell.textContent)"
        let order = "document.querySelector('#campaigns thead th').getAttribute('aria-sort')"
        #expect(try browser.see(order) == .null)
        try browser.click("#campaigns thead button")
        #expect(try browser.see(order) == "ascending")
        let ascending = try #require(browser.see(campaigns)?.list)
        #expect(ascending.count == 3)
        #expect(ascending.compactMap(\.text) == ascending.compactMap(\.text).sorted())
        try browser.press("Enter")
        #expect(try browser.see(order) == "descending")
        #expect(try browser.see(campaigns)?.list == ascending.reversed())
        #expect(try browser.see("document.querySelectorAll('#campaigns [aria-sort]').length") == 1)
    }

    @Test func `a row of differences opens to its decisions, and closes by Escape`() throws {
        let row = try #require(page.report["differences"]?.value(at: ["biggest", "0"]))
        let sample = try #require(row.value(at: ["samples", "0"]))
        let isOpen = "document.querySelector('.open-row').getAttribute('aria-expanded')"
        try browser.click(".open-row")
        #expect(try browser.see(isOpen) == "true")
        let card = try #require(browser.see("document.querySelector('.drill .card').innerText")?.text)
        for path in [["subject"], ["a", "outcome"], ["b", "outcome"], ["b", "reasons", "0", "message"]] {
            let part = try #require(sample.value(at: path[...])?.text)
            #expect(card.contains(part))
        }
        let time = try #require(sample.value(at: ["time"])?.text).replacing("T", with: " ").replacing("Z", with: " UTC")
        #expect(card.contains(time))
        #expect(
            try browser.see("document.querySelectorAll('.drill .card').length")
                == .integer(Int64(row.value(at: ["samples"])?.list?.count ?? 0)))
        try browser.press("Escape")
        #expect(try browser.see(isOpen) == "false")
        #expect(try browser.see("document.querySelector('.drill').checkVisibility()") == false)
        #expect(try browser.see("document.activeElement === document.querySelector('.open-row')") == true)
        try browser.press("ArrowDown")
        try browser.press("Enter")
        #expect(try browser.see("document.querySelectorAll('.open-row')[1].getAttribute('aria-expanded')") == "true")
    }

    @Test func `the colours follow the system, and the switch`() throws {
        let paper = "getComputedStyle(document.body).backgroundColor"
        let light = try browser.see(paper)
        try browser.click("#theme-dark")
        let dark = try browser.see(paper)
        #expect(light != dark)
        try browser.press("ArrowLeft")
        #expect(try browser.see(paper) == light)
        try browser.open(page.url, dark: true)
        #expect(try browser.see(paper) == dark)
        try browser.click("#theme-light")
        #expect(try browser.see(paper) == light)
    }

    @Test func `the keyboard comes everywhere, and is seen there`() throws {
        let (count, missed, unseen) = try browser.goThroughByTab()
        #expect(count > 30)
        #expect(missed == [])
        #expect(unseen == [])
    }

    @Test func `a chart is gone through by arrows and says its figures`() throws {
        let line = try #require(page.report["timeline"])
        let a = try #require(line.value(at: ["a", "created"])?.list).compactMap(\.integer)
        let b = try #require(line.value(at: ["b", "created"])?.list).compactMap(\.integer)
        let place = try #require(a.indices.first { a[$0] != b[$0] })
        try browser.see("document.querySelector('#timeline [role=slider]').focus()")
        try browser.press("Home")
        for _ in 0..<place { try browser.press("ArrowRight") }
        let said = try #require(
            browser.see("document.querySelector('#timeline [role=slider]').getAttribute('aria-valuetext')")?.text)
        #expect(said.contains("created A \(a[place])"))
        #expect(said.contains("B \(b[place]) (−\(a[place] - b[place]))"))
    }

    @Test func `the week is gone through by arrows and says its figures`() throws {
        let hour = try #require(page.report["b"]?.value(at: ["heat", "created", "1", "7"])?.integer)
        #expect(hour > 0)
        try browser.see("document.querySelector('#week td[tabindex=\"0\"]').focus()")
        for key in ["ArrowDown", "ArrowLeft", "ArrowLeft"] { try browser.press(key) }
        let said = try #require(browser.see("document.querySelector('#week .readout').textContent")?.text)
        #expect(said.hasPrefix("Tue 07:00 to 08:00: created A"))
        #expect(said.contains("B \(hour) ("))
    }

    @Test func `a page about nothing says so`() throws {
        let empty = try SimulatedPage(signals: "")
        try browser.open(empty.url)
        #expect(
            try browser.see("document.querySelector('h1').textContent") == "Neither A nor B creates a notification.")
        #expect(browser.complaints == [])
        #expect(
            try browser.see("[...document.querySelectorAll('section:not([hidden])')].map((one) => one.id).join()")
                == ",rules,campaigns,runs")
    }
}
