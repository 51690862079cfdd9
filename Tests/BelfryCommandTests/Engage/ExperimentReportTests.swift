import BelfryModel
import Foundation
import Testing

/// `belfry experiments report` (docs/experiments.md).
@Suite struct ExperimentReportTests {
    private static let configuration = """
        app: shop
        store: sqlite:s.db
        journal: { keep: 7d }
        chain:
          - { strategy: max-per-period, id: cap, parameters: { max: 1, lifetime: true } }
        campaigns: [ { id: mail } ]
        experiments:
          - { id: more, seed: cap-2026, variants: [ { name: one }, { name: two, with: { cap: { max: 2 } } } ] }
          - { id: other, seed: x, variants: [ { name: a }, { name: b } ] }
        """

    /// Those whose places are below a half get one each, those above two; the first of the latter opens one twice.
    private func place() throws -> Workplace {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        var lines: [String] = []
        for person in 0..<40 {
            for minute in 0..<3 {
                lines.append(
                    #"{"id":"\#(person)-\#(minute)","type":"notification.requested","subject":"p\#(person)","time":"2026-03-0\#(2 + minute / 2)T09:0\#(minute):00Z","data":{"campaign":"mail"}}"#
                )
            }
        }
        for minute in 5...6 {
            lines.append(
                #"{"id":"o\#(minute)","type":"notification.opened","subject":"p0","time":"2026-03-03T09:0\#(minute):00Z","data":{"notification":"mail/1"}}"#
            )
        }
        let result = try place.belfry("run", input: lines.asFile)
        try #require(result.status == 0, "\(result.errors)")
        return place
    }

    private static func isInTwo(_ subject: String) -> Bool {
        GrowthBookHash.place(seed: "cap-2026".utf8, value: subject.utf8) >= 0.5
    }

    @Test func `the variants are compared by those who were exposed`() throws {
        let result = try place().belfry("experiments", "report", "more", "--json")
        let report = try JSON(result.output)
        let experiment = try #require(report["experiments"]?.list?.first?.map)
        let variants = (experiment["variants"]?.list ?? []).compactMap(\.map)
        try #require(variants.count == 2)
        let two = Int64((0..<40).count { Self.isInTwo("p\($0)") })
        #expect(experiment["exposed"] == 40)
        #expect(variants.map { $0["exposed"] } == [.integer(40 - two), .integer(two)])
        #expect(variants.map { $0["created"] } == [.integer(40 - two), .integer(2 * two)])
        #expect(variants.map { $0["perSubject"]?.number } == [1, 2])
        let difference = variants[1]["difference"]?.map?["perSubject"]?.map
        #expect(difference?["value"]?.number == 1 && difference?["from"]?.number == 1)
        let opened = variants.map { $0["opened"]?.integer ?? 0 }
        #expect(opened == (Self.isInTwo("p0") ? [0, 1] : [1, 0]), "the second opening of one counts no more")
        #expect(
            variants[1]["days"]?.list?.map { $0.map?["day"] }
                == (opened[1] == 1 ? ["2026-03-02", "2026-03-03"] : ["2026-03-02"]))
        #expect(experiment["ratio"]?.map?["isSuspicious"] == false)
    }

    @Test func `a subject counts once, and openings of what was counted as created`() throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration.replacing("id: cap,", with: "id: cap, when: { campaign.id: mail },")
                .replacing("[ { id: mail } ]", with: "[ { id: mail }, { id: news } ]").replacing(
                    "max: 1,", with: "max: 9,")
        ])
        let subject = try #require((0..<40).map { "p\($0)" }.first { Self.isInTwo($0) })
        let events = [
            #""notification.requested","data":{"campaign":"news"}"#,
            #""notification.requested","data":{"campaign":"mail"}"#,
            #""notification.opened","data":{"notification":"news/1"}"#,
            #""subject.reset""#, #""notification.requested","data":{"campaign":"mail"}"#,
            #""notification.requested","data":{"campaign":"mail"}"#,
            #""notification.opened","data":{"notification":"mail/2"}"#,
            #""notification.opened","data":{"notification":"mail/2"}"#,
        ]
        let lines = events.enumerated().map { index, event in
            #"{"id":"\#(index)","subject":"\#(subject)","time":"2026-03-02T09:0\#(min(index, 6)):00Z","type":\#(event)}"#
        }
        #expect(try place.belfry("run", input: lines.asFile).status == 0)
        let report = try JSON(place.belfry("experiments", "report", "more", "--json").output)
        let two = report["experiments"]?.list?.first?.map?["variants"]?.list?.last?.map
        #expect(["exposed", "created", "opened"].map { two?[$0] } == [1, 3, 1], "\(report)")
        #expect(two?["perSubject"]?.number == 3)
    }

    @Test func `sizes that do not fit the weights are told`() throws {
        let place = try place()
        try place.write(
            Self.configuration.replacing("{ name: one }", with: "{ name: one, weight: 99 }"), to: "belfry.yaml")
        let text = try place.belfry("experiments", "report").output
        #expect(text.contains("experiment 'more': 40 exposed") && text.contains("experiment 'other': 0 exposed"))
        #expect(text.contains("the sizes do not fit the weights"), "\(text)")
    }

    /// In a real browser; with `BELFRY_PICTURES=FOLDER`, pictures of it are left there.
    @Test(arguments: [1280, 360] as [Int64])
    func `the page shows what was found, loads nothing and runs nothing`(width: Int64) throws {
        let place = try place()
        let result = try place.belfry("experiments", "report", "--page", "page.html")
        try #require(result.status == 0, "\(result.errors)")
        let browser = try Browser()
        try browser.open(place.file("page.html"), width: width, dark: width < 500)
        let text = try browser.see("document.body.innerText")?.text ?? ""
        #expect(text.contains("'two' gives each subject 1.00 more than 'one' (± 0.00)."), "\(text)")
        try browser.openEverything()
        #expect(try browser.overflow(of: width) == [])
        #expect(try browser.contrast().poor == [])
        #expect(browser.addresses == [place.file("page.html").absoluteString] && browser.complaints == [])
        if let folder = ProcessInfo.processInfo.environment["BELFRY_PICTURES"] {
            try browser.picture().write(to: URL(filePath: folder).appending(path: "experiments-\(width).png"))
        }
    }

    @Test func `a page does not replace the configuration`() throws {
        let place = try place()
        let result = try place.belfry("experiments", "report", "--page", "belfry.yaml")
        #expect(result.status == 2 && result.errors.contains("--page"), "\(result.errors)")
        #expect(try place.text(of: "belfry.yaml") == Self.configuration)
    }

    @Test func `an experiment that is not there is named with the nearest one`() throws {
        let result = try Workplace(["belfry.yaml": Self.configuration]).belfry("experiments", "report", "mor")
        #expect(result.status == 2)
        #expect(
            result.errors.contains("there is no experiment 'mor'") && result.errors.contains("did you mean 'more'?"))
    }
}
