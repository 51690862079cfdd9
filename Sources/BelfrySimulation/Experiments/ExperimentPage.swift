import BelfryPluginHost
import CSimulationPage
import Foundation

/// What came of experiments as one page of HTML that loads nothing and runs no script.
///
/// Names come from outside, and get into the page as escaped text.
public struct ExperimentPage: Page {
    private let report: ExperimentReport
    private let config: String

    /// - Parameter config: the file that the experiments are configured in.
    public init(_ report: ExperimentReport, config: String) { (self.report, self.config) = (report, config) }

    public var bytes: [UInt8] {
        filled(
            belfry_experiments_html(),
            with: [
                "title": Array("Experiments of \(config.escapedForHTML)".utf8),
                "brand": Array("belfry experiments".utf8),
                "experiments": Array(report.experiments.map(\.html).joined(separator: "\n").utf8),
                "version": Array(belfryVersion.utf8),
            ])
    }
}

extension ExperimentOutcome {
    fileprivate var html: String {
        """
        <section class="headline">
          <h1>\(id.escapedForHTML)</h1>
          <p class="lede">\(sentences.joined(separator: " ").escapedForHTML)</p>
          \(warning.map { "<p class=\"note\" role=\"alert\"><b>\($0.escapedForHTML)</b></p>" } ?? "")
          <div class="scroll"><table class="ledger">
            <caption class="quiet">What each variant came to</caption>
            <thead><tr><th scope="col">Variant</th><th scope="col">Subjects</th><th scope="col">Created</th><th scope="col">Per subject</th>\
        <th scope="col">Opened</th><th scope="col">Of those created</th><th scope="col">Withheld</th></tr></thead>
            <tbody>
        \(variants.map(row).joined())</tbody>
          </table></div>
          \(intervals(title: "Notifications per subject", \.perSubject))
          \(intervals(title: "Share that is opened", \.openings))
          \(days)
        </section>

        """
    }

    private func row(of variant: VariantOutcome) -> String {
        let total = variant.total
        let cells = [
            Int64(total.exposed).grouped, Int64(total.created).grouped, variant.perSubject.value.rounded(2),
            Int64(total.opened).grouped, total.created == 0 ? "–" : "\((variant.openings.value * 100).rounded(1)) %",
            Int64(total.withheld).grouped,
        ]
        let name = "<th scope=\"row\"><bdi>\(variant.name.escapedForHTML)</bdi></th>"
        return "<tr>\(name)\(cells.map { "<td>\($0)</td>" }.joined())</tr>\n"
    }

    // MARK: Words

    /// What can be said of each variant beside the first.
    private var sentences: [String] {
        ["\(Int64(exposed).grouped) \(exposed == 1 ? "subject is" : "subjects are") exposed."]
            + variants.dropFirst().map { variant in
                guard let difference = variant.perSubject.difference(from: variants[0].perSubject) else {
                    return "Of '\(variant.name)' there is too little to say anything."
                }
                return Self.sentence(variant.name, variants[0].name, difference)
            }
    }

    private static func sentence(
        _ name: String, _ base: String, _ difference: (value: Double, margin: Double)
    ) -> String {
        if abs(difference.value) <= difference.margin {
            return "Between '\(name)' and '\(base)' no difference in notifications per subject is sure."
        }
        return """
            '\(name)' gives each subject \(abs(difference.value).rounded(2)) \(difference.value < 0 ? "fewer" : "more") than '\(base)' \
            (± \(difference.margin.rounded(2))).
            """
    }

    // MARK: Days

    private var days: String {
        let all = Set(variants.flatMap(\.days.keys)).sorted()
        if all.isEmpty { return "" }
        let heads = variants.map { variant in
            ["exposed", "created", "opened", "withheld"].map {
                "<th scope=\"col\"><bdi>\(variant.name.escapedForHTML)</bdi>: \($0)</th>"
            }.joined()
        }.joined()
        let rows = all.map { day in
            "<tr><th scope=\"row\">\(day.escapedForHTML)</th>\(variants.map { Self.cells(of: $0.days[day]) }.joined())</tr>\n"
        }
        return """
            <details><summary>Day by day (UTC)</summary><div class="scroll"><table class="ledger">
            <thead><tr><th scope="col">Day</th>\(heads)</tr></thead>
            <tbody>\(rows.joined())</tbody></table></div></details>
            """
    }

    private static func cells(of counts: VariantOutcome.Counts?) -> String {
        let counts = counts ?? VariantOutcome.Counts()
        return [counts.exposed, counts.created, counts.opened, counts.withheld].map {
            "<td>\(Int64($0).grouped)</td>"
        }.joined()
    }
}

extension Double {
    /// With so many digits after the point, and a minus sign that is as wide as a plus.
    func rounded(_ digits: Int) -> String {
        let text = String(format: "%.\(digits)f", magnitude)
        return self < 0 && text.contains { ("1"..."9").contains($0) } ? "−" + text : text
    }
}
