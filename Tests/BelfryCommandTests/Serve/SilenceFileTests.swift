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
        let first = file.bytes
        try file.write([["id": "a"], ["id": "b"]])
        try file.restore(first, ifStill: file.bytes)
        #expect(file.bytes == first)
        try file.restore(nil, ifStill: first)
        #expect(file.bytes == nil)
    }

    @Test func `a change is not taken back when another one has followed it`() throws {
        try file.write([["id": "a"]])
        let after = file.bytes
        try file.write([["id": "a"], ["id": "b"]])
        try file.restore(nil, ifStill: after)
        #expect(try file.read().map { $0["id"] } == ["a", "b"])
    }
}
