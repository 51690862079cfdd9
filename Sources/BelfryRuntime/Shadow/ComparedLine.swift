import BelfryCore
import BelfryModel
import Glibc

/// The line of a decision about a candidate or a deletion, as it is compared with that of another configuration.
///
/// Nearly all lines are the same on both sides: only bytes are looked at, in the order in which decisions are written
/// (`Decision.write`), and nothing is copied.
struct ComparedLine {
    private let bytes: UnsafeRawBufferPointer
    /// From the source to the time: without the id, which counts what one side has decided, and the cause, which may be the place of a line.
    private let head: Range<Int>
    /// Subject and time.
    private let moment: Range<Int>
    /// Campaign, trigger and region.
    private let origin: Range<Int>
    private let data: Range<Int>
    let outcome: Outcome
    let key: DecisionKey

    enum Outcome: String, CaseIterable {
        case suppressed, created, fired, deferred, deleted, kept, collected, withheld

        fileprivate var isAboutDeletion: Bool { self == .deleted || self == .kept }
    }

    /// Nil for what is no such decision.
    ///
    /// - Parameter bytes: of a line without its end, which stay where they are.
    init?(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var cursor = LineCursor(bytes)
        guard cursor.skip(#"{"specversion":"1.0","id":"#), cursor.skipText() else { return nil }
        let source = cursor.place
        guard cursor.skip(#","source":"#), cursor.skipText(), cursor.skip(#","type":""#) else { return nil }
        let type = cursor.place
        guard let outcome = cursor.skipOutcome(), cursor.skip(#"","#) else { return nil }
        let subject = cursor.place
        guard cursor.skip(#""subject":"#), cursor.skipText(), cursor.skip(#","time":"#), cursor.skipText() else {
            return nil
        }
        (head, moment) = (source..<cursor.place, subject..<cursor.place)
        guard cursor.skip(#","cause":"#) else { return nil }
        let cause = cursor.place
        guard cursor.skipText() else { return nil }
        data = cursor.place..<bytes.count
        guard cursor.skip(#","data":{"#) else { return nil }
        if cursor.skip(#""notification":"#) { guard cursor.skipText(), cursor.skip(",") else { return nil } }
        let campaign = cursor.place
        guard cursor.skip(#""campaign":"#), cursor.skipText() else { return nil }
        if cursor.skip(#","trigger":"#), !cursor.skipText() { return nil }
        if cursor.skip(#","region":"#), !cursor.skipText() { return nil }
        origin = campaign..<cursor.place
        self.outcome = outcome
        var question = Self.hash(bytes[moment], seed: outcome.isAboutDeletion ? 1 : 0)
        question = Self.hash(bytes[origin], seed: question)
        let answer = Self.hash(bytes[type..<subject], seed: question)
        key = DecisionKey(question: question, answer: Self.hash(Self.id(bytes[cause..<data.lowerBound]), seed: answer))
    }

    private static func hash(_ bytes: Slice<UnsafeRawBufferPointer>, seed: UInt64) -> UInt64 {
        stableHash(UnsafeRawBufferPointer(rebasing: bytes), seed: seed)
    }

    /// The cause of a decision as far as both sides have the same: nothing of a number, which may be the place of a line.
    private static func id(_ cause: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let isNumber = cause.dropFirst().dropLast().allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        return isNumber ? cause.prefix(0) : cause
    }

    private func isSame(_ range: Range<Int>, as other: ComparedLine, _ otherRange: Range<Int>) -> Bool {
        range.count == otherRange.count
            && memcmp(
                bytes.baseAddress! + range.lowerBound, other.bytes.baseAddress! + otherRange.lowerBound, range.count)
                == 0
    }

    /// How a decision differs from that of the other side, nil if it says the same.
    static func kind(_ a: ComparedLine?, _ b: ComparedLine?) -> ShadowDifference.Kind? {
        guard let a, let b, a.outcome == b.outcome else { return .outcome }
        if a.isSame(a.head, as: b, b.head), a.isSame(a.data, as: b, b.data) { return nil }
        switch a.outcome {
        case .created: return a.fields.content == b.fields.content ? nil : .content
        case .fired: return a.fields["data"] == b.fields["data"] ? nil : .content
        default: return a.fields.reasons == b.fields.reasons ? nil : .reasons
        }
    }

    /// What it says.
    private var fields: Fields {
        Value(json: Array(bytes[data].dropFirst(#","data":"#.utf8.count).dropLast())[...])?.map ?? [:]
    }

    /// A line of JSON that tells of a difference, with both decisions as they are.
    static func difference(_ kind: ShadowDifference.Kind, _ a: ComparedLine?, _ b: ComparedLine?) -> [UInt8] {
        let (either, none) = ((a ?? b)!, Array("null".utf8))
        var line = Array(#"{"kind":"\#(kind.rawValue)","#.utf8)
        line += either.bytes[either.moment]
        line.append(UInt8(ascii: ","))
        line += either.bytes[either.origin]
        line += Array(#","a":"#.utf8) + (a.map { Array($0.bytes) } ?? none)
        line += Array(#","b":"#.utf8) + (b.map { Array($0.bytes) } ?? none)
        return line + Array("}\n".utf8)
    }
}

extension Fields {
    /// What is shown to the person.
    fileprivate var content: [Value?] {
        ["title", "message", "data", "presentation", "handler", "category", "buttons"].map { self[$0] }
    }

    fileprivate var reasons: [[Value?]] {
        (self["reasons"]?.list ?? []).map { [$0.map?["strategy"], $0.map?["code"]] }
    }
}

/// Goes through a line, member after member.
private struct LineCursor {
    private let bytes: UnsafeRawBufferPointer
    private(set) var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// - Returns: whether that comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= bytes.count, memcmp(bytes.baseAddress! + place, text.utf8Start, count) == 0 else {
            return false
        }
        place += count
        return true
    }

    /// - Returns: whether a text comes next, in its quotes.
    mutating func skipText() -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return false }
        var next = place + 1
        while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
            next += bytes[next] == UInt8(ascii: "\\") ? 2 : 1
        }
        place = next + 1
        return place <= bytes.count
    }

    /// The type of an event up to its quote; nil if it is about no candidate and no deletion.
    mutating func skipOutcome() -> ComparedLine.Outcome? {
        if skip("geotrigger.fired") { return .fired }
        guard skip("notification.") else { return nil }
        if skip("suppressed") { return .suppressed }
        if skip("created") { return .created }
        if skip("deferred") { return .deferred }
        if skip("deleted") { return .deleted }
        if skip("kept") { return .kept }
        if skip("collected") { return .collected }
        return skip("withheld") ? .withheld : nil
    }
}
