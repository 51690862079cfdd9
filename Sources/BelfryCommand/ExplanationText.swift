import BelfryEngine
import BelfryModel
import Foundation

/// An explanation for people.
struct ExplanationText {
    private let explanation: Explanation
    /// The time that somebody named.
    private let wanted: Instant?

    init(_ explanation: Explanation, askedFor wanted: Instant?) {
        self.explanation = explanation
        self.wanted = wanted
    }

    var text: String {
        ([heading] + late + variants + ["", chain, "", outcome] + reasons + shown + [earliest]).joined(separator: "\n")
    }

    private var heading: String {
        let origin = explanation.origin
        let trigger = origin.trigger.map { " (trigger \($0))" } ?? ""
        let place = origin.region.map { " at \($0)" } ?? ""
        return
            "\(origin.campaign) for \(explanation.subject), on \(explanation.event)\(place)\(trigger), \(explanation.time)"
    }

    private var late: [String] {
        guard let wanted, wanted < explanation.time else { return [] }
        return ["\(wanted) is over for this subject, whose time has come to \(explanation.time)"]
    }

    private var variants: [String] {
        explanation.variants.map { "in experiment '\($0.experiment)': variant '\($0.name)'" }
    }

    /// A table of the entries; under each that was asked, its parameters and what it remembers.
    private var chain: String {
        guard !explanation.entries.isEmpty else { return "the chain is not asked" }
        var table = Table("entry", "control", "counter", "says", "code", "until", "why")
        for entry in explanation.entries {
            table.add(
                entry.id, entry.control.rawValue, entry.counter.cell, entry.verdict?.name ?? "not asked",
                entry.code.cell, entry.verdict?.reason?.until?.description ?? "", entry.notAsked ?? entry.sentence ?? ""
            )
        }
        let lines = table.text.split(separator: "\n").map(String.init)
        return (lines.prefix(1) + zip(lines.dropFirst(), explanation.entries).flatMap { [$0] + details(of: $1) })
            .joined(separator: "\n")
    }

    private func details(of entry: Explanation.Entry) -> [String] {
        let parameters = entry.parameters.map { ("\($0.name): \(Value?.some($0.value).cell)", $0.source) }
        let state = entry.state.map { ("\($0.key) = \($0.value.text)", "remembered") }
        let width = (parameters + state).map(\.0.count).max() ?? 0
        return (parameters + state).map {
            "    " + $0.padding(toLength: width, withPad: " ", startingAt: 0) + "  \($1)"
        }
    }

    private var outcome: String {
        "\(explanation.result.rawValue)" + (explanation.reasons.isEmpty ? "" : ", because of:")
    }

    private var reasons: [String] {
        explanation.reasons.map { line(of: $0) } + explanation.observed.map { "\(line(of: $0)) (observed only)" }
    }

    private func line(of denial: Decision.Denial) -> String {
        "  \(denial.strategy): \(denial.message)" + (denial.until.map { ", until \($0)" } ?? "")
    }

    private var shown: [String] {
        let texts = [explanation.content.title, explanation.content.message].compactMap { $0 }
        return texts.isEmpty || !explanation.reasons.isEmpty ? [] : ["  \(texts.joined(separator: ": "))"]
    }

    private var earliest: String {
        switch explanation.earliest {
        case .at(explanation.time): "earliest: at once"
        case .at(let instant): "earliest: \(instant), if nothing else happens meanwhile"
        case .never: "earliest: never, as long as nothing else happens"
        case .notBefore(let instant): "earliest: not before \(instant); it was not looked further"
        }
    }
}
