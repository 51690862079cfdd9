import BelfryModel
import CLinux

/// The line of a decision about a candidate or a deletion, as it is compared with that of another configuration.
///
/// Nearly all lines are the same on both sides: what tells that looks at bytes only.
struct ComparedLine {
    let bytes: ArraySlice<UInt8>
    /// Without the id, which counts what one side has decided, and the cause, which may be the place of a line.
    private let (head, data): (ArraySlice<UInt8>, ArraySlice<UInt8>)
    /// The type without `notification.` or `geotrigger.`, such as created.
    let outcome: String
    /// Of what names the same question on both sides.
    let key: UInt64

    private static let outcomes: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            "notification.created", "geotrigger.fired", "notification.suppressed", "notification.deferred",
            "notification.deleted", "notification.kept", "notification.collected", "notification.withheld",
        ].map { ($0, String($0.drop { $0 != "." }.dropFirst())) })

    /// Nil for what is no such decision.
    init?(_ line: ArraySlice<UInt8>) {
        // No text of JSON has a quote as it is, so that these are where members begin.
        guard let source = line.firstPlace(of: #","source":"#), let type = line.type(from: source),
            let outcome = Self.outcomes[String(decoding: type, as: UTF8.self)],
            let subject = line.firstPlace(of: #","subject":"#, from: type.endIndex),
            let cause = line.firstPlace(of: #","cause":"#, from: subject),
            let data = line.firstPlace(of: #","data":"#, from: cause),
            let campaign = line.firstPlace(of: #""campaign":"#, from: data)
        else { return nil }
        (bytes, head, self.data, self.outcome) = (line, line[source..<cause], line[data...], outcome)
        // Subject and time stand together, and so do campaign, trigger and region.
        let origin = campaign..<line.endOfOrigin(from: campaign)
        let isAboutDeletion = outcome == "deleted" || outcome == "kept"
        key = line.withUnsafeBytes { all in
            let place = { (range: Range<Int>) in
                UnsafeRawBufferPointer(
                    rebasing: all[range.lowerBound - line.startIndex..<range.upperBound - line.startIndex])
            }
            return stableHash(place(origin), seed: stableHash(place(subject..<cause), seed: isAboutDeletion ? 1 : 0))
        }
    }

    func isSame(as other: ComparedLine) -> Bool { head == other.head && data == other.data }

    private var fields: Fields { Value(json: bytes)?.map ?? [:] }

    /// How a decision differs from that of the other side, nil if it says the same.
    static func kind(_ a: ComparedLine?, _ b: ComparedLine?) -> ShadowDifference.Kind? {
        guard let a, let b, a.outcome == b.outcome else { return .outcome }
        if a.isSame(as: b) { return nil }
        let data = [a, b].map { $0.fields["data"]?.map ?? [:] }
        switch a.outcome {
        case "created": return data[0].content == data[1].content ? nil : .content
        case "fired": return data[0]["data"] == data[1]["data"] ? nil : .content
        default: return data[0].reasons == data[1].reasons ? nil : .reasons
        }
    }

    /// What tells of it in a list of differences.
    static func value(_ line: ComparedLine?) -> Value {
        guard let line else { return ["outcome": "none"] }
        let (decision, data) = (line.fields, line.fields["data"]?.map ?? [:])
        var fields: Fields = ["outcome": .text(line.outcome)]
        fields["id"] = decision["id"]
        for name in ["notification", "title", "message", "until", "reasons", "observed"] { fields[name] = data[name] }
        return .map(fields)
    }

    /// Whom it is about and when: the same on both sides.
    var question: Fields {
        let (decision, data) = (fields, fields["data"]?.map ?? [:])
        var question: Fields = [:]
        for name in ["subject", "time"] { question[name] = decision[name] }
        for name in ["campaign", "trigger", "region"] { question[name] = data[name] }
        return question
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

extension ArraySlice<UInt8> {
    /// Where that begins.
    fileprivate func firstPlace(of text: StaticString, from start: Int? = nil) -> Int? {
        let start = start ?? startIndex
        return withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes[(start - startIndex)...])
            guard let base = rest.baseAddress,
                let found = belfry_find(base, UInt(rest.count), text.utf8Start, UInt(text.utf8CodeUnitCount))
            else { return nil }
            return start + (found - base)
        }
    }

    /// The type of the event.
    fileprivate func type(from start: Int) -> ArraySlice<UInt8>? {
        guard let place = firstPlace(of: #","type":""#, from: start) else { return nil }
        let text = place + #","type":""#.utf8.count
        return self[text...].firstIndex(of: UInt8(ascii: "\"")).map { self[text..<$0] }
    }

    /// Where campaign, trigger and region end, which begin there.
    fileprivate func endOfOrigin(from start: Int) -> Int {
        var end = endOfMember(from: start)
        for next in [#","trigger":"#, #","region":"#] as [StaticString] {
            if firstPlace(of: next, from: end) == end { end = endOfMember(from: end + 1) }
        }
        return end
    }

    /// Where a member of text ends whose name begins there.
    private func endOfMember(from start: Int) -> Int {
        guard let colon = self[start...].firstIndex(of: UInt8(ascii: ":")) else { return endIndex }
        var place = colon + 2
        while place < endIndex, self[place] != UInt8(ascii: "\"") {
            place += self[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(place + 1, endIndex)
    }
}
