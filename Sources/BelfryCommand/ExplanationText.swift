import BelfryModel
import Foundation

/// An explanation for people, made of what `--json` prints.
struct ExplanationText {
    private let explanation: Fields
    /// The time that the user named.
    private let wanted: Instant?

    init(_ explanation: Value, askedFor wanted: Instant?) {
        self.explanation = explanation.map ?? [:]
        self.wanted = wanted
    }

    var text: String {
        ([heading] + late + variants + ["", chain, "", outcome] + reasons + shown + [earliest]).joined(separator: "\n")
    }

    private var time: String { explanation.text("time") }
    private var entries: [Fields] { explanation.items("entries") }

    private var heading: String {
        let trigger = explanation["trigger"]?.text.map { " (trigger \($0))" } ?? ""
        let place = explanation["region"]?.text.map { " at \($0)" } ?? ""
        return explanation.text("campaign")
            + " for \(explanation.text("subject")), on \(explanation.text("on"))\(place)\(trigger), \(time)"
    }

    private var late: [String] {
        guard let wanted, let time = Instant(rfc3339: time), wanted < time else { return [] }
        return ["\(wanted) is over for this subject, whose time has come to \(time)"]
    }

    private var variants: [String] {
        explanation.items("variants").map {
            "in experiment '\($0.text("experiment"))': variant '\($0.text("variant"))'"
        }
    }

    /// A table of the entries; under each that was asked, its parameters and what it remembers.
    private var chain: String {
        guard !entries.isEmpty else { return "the chain is not asked" }
        var table = Table("entry", "control", "counter", "says", "code", "until", "why")
        for entry in entries {
            let wasAsked = entry["verdict"] != nil
            table.add(
                entry.text("entry"), entry.text("control"), entry["counter"]?.text.cell ?? "",
                wasAsked ? entry.text("verdict") : "not asked", entry["code"]?.text.cell ?? "", entry.text("until"),
                entry["why"]?.text ?? entry.text("message"))
        }
        let lines = table.text.split(separator: "\n").map(String.init)
        return (lines.prefix(1) + zip(lines.dropFirst(), entries).flatMap { [$0] + details(of: $1) })
            .joined(separator: "\n")
    }

    private func details(of entry: Fields) -> [String] {
        let parameters = entry.items("parameters").map {
            ("\($0.text("name")): \($0["value"].cell)", $0.text("source"))
        }
        let state = (entry["state"]?.map?.entries ?? []).map { ("\($0.key) = \($0.value.plain)", "remembered") }
        let width = (parameters + state).map(\.0.count).max() ?? 0
        return (parameters + state).map {
            "    " + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "  \($1)"
        }
    }

    private var outcome: String {
        explanation.text("result") + (explanation.items("reasons").isEmpty ? "" : ", because of:")
    }

    private var reasons: [String] {
        explanation.items("reasons").map { line(of: $0) }
            + explanation.items("observed").map { "\(line(of: $0)) (observed only)" }
    }

    private func line(of denial: Fields) -> String {
        // The sentence of a silence names its end.
        let until = denial["silence"] == nil ? denial["until"]?.text : nil
        return "  \(denial.text("strategy")): \(denial.text("message"))" + (until.map { ", until \($0)" } ?? "")
    }

    private var shown: [String] {
        let texts = ["title", "message"].compactMap { explanation[$0]?.text }
        return texts.isEmpty || !explanation.items("reasons").isEmpty ? [] : ["  \(texts.joined(separator: ": "))"]
    }

    private var earliest: String {
        if let earliest = explanation["earliest"]?.text {
            return earliest == time
                ? "earliest: at once" : "earliest: \(earliest), if nothing else happens meanwhile"
        }
        guard let limit = explanation["notBefore"]?.text else {
            return "earliest: never, as long as nothing else happens"
        }
        return "earliest: not before \(limit); it was not looked further"
    }
}

extension Fields {
    fileprivate func text(_ key: String) -> String { self[key]?.text ?? "" }
    fileprivate func items(_ key: String) -> [Fields] { self[key]?.list?.compactMap(\.map) ?? [] }
}

extension Value {
    fileprivate var plain: String { text ?? json }
}
