import BelfryModel
import Foundation
import Testing

@testable import BelfryService

/// The file with the silences of a service.
@Suite struct SilenceFileTests {
    private let place: Workplace
    private let file: SilenceFile

    init() throws {
        place = try Workplace(["belfry.yaml": ServiceTests.configuration])
        file = SilenceFile(of: place.file("belfry.yaml").path)
    }

    @Test func `a change is taken back, also one that made the file`() throws {
        try file.write([["id": "a"]])
        let first = try file.bytes
        try file.write([["id": "a"], ["id": "b"]])
        try file.restore(first, ifStill: try file.bytes)
        #expect(try file.bytes == first)
        try file.restore(nil, ifStill: first)
        #expect(try file.bytes == nil)
    }

    @Test func `a change is not taken back when another one has followed it`() throws {
        try file.write([["id": "a"]])
        let after = try file.bytes
        try file.write([["id": "a"], ["id": "b"]])
        try file.restore(nil, ifStill: after)
        #expect(try file.read().map { $0["id"] } == ["a", "b"])
    }

    @Test func `one that cannot be read is not taken for none`() throws {
        try FileManager.default.createDirectory(
            at: place.file("belfry.silences.json"), withIntermediateDirectories: false)
        let problem = #expect(throws: Problem.self) { try file.read() }
        #expect(problem?.title == "the file with the silences cannot be read")
        let result = try place.belfry("silences", "add", "campaign=sale", "--for", "1h", "--comment", "a")
        #expect(result.status != 0 && result.errors.contains("found: a directory"), "\(result.errors)")
    }

    @Test(arguments: ["a\u{85}b", "a\u{7F}\u{80}\u{9F}b"])
    func `a text is read back from it as it was`(_ text: String) throws {
        #expect(
            try place.belfry("silences", "add", "subject=\(text)", "--for", "1h", "--comment", "a").status == 0)
        let list = try JSON("{\"list\":\(place.belfry("silences", "list", "--json").output)}")["list"]?.list
        let matcher = list?.first?.map?["matchers"]?.list?.first?.map
        #expect(matcher?["value"]?.text?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(list as Any)")
    }
}
