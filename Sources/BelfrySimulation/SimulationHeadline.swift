import BelfryModel

/// The figures that a report begins with, in words.
struct SimulationHeadline {
    private let report: Value

    init(_ report: Value) { self.report = report }

    /// A line of the table of totals.
    struct Total {
        let what: String
        let a: Int64
        let b: Int64

        var difference: String { (b - a).signed }
        /// The change in percent of A; nil if there is none to speak of.
        var share: String? { a == 0 || a == b ? nil : Percent(b - a, of: a).signed }
    }

    /// By the names of their places in the page.
    var parts: [String: String] {
        [
            "title": "\(text("a", "config")) against \(text("b", "config"))", "a": text("a", "config"),
            "b": text("b", "config"), "sentence": sentence, "people": people, "decisions": decisions, "source": source,
            "version": text("belfry"),
        ]
    }

    /// What never happened is left out.
    var totals: [Total] {
        ["created", "fired", "suppressed", "deferred", "collected", "withheld", "deleted", "kept"].map { kind in
            Total(
                what: kind.prefix(1).uppercased() + kind.dropFirst(), a: number("a", "counts", kind),
                b: number("b", "counts", kind))
        }.filter { $0.a + $0.b > 0 || $0.what == "Created" }
    }

    private var sentence: String {
        let (a, b) = (number("a", "counts", "created"), number("b", "counts", "created"))
        if a + b == 0 { return "Neither A nor B creates a notification." }
        if a == b { return "A and B both create \(a.of("notification"))." }
        let change = abs(b - a)
        return """
            With B, \(change.grouped) \(b < a ? "fewer" : "more") \(change == 1 ? "notification is" : "notifications are") \
            created: \(b.grouped) instead of \(a.grouped).
            """
    }

    private var people: String {
        let seen = number("subjects", "seen")
        if seen == 0 { return "" }
        let (lose, gain) = (number("subjects", "lose"), number("subjects", "gain"))
        if lose + gain == 0 { return "Every one of \(seen.of("subject")) gets as many as before." }
        return """
            Of \(seen.of("subject")), \(lose.grouped) \(lose == 1 ? "gets" : "get") fewer, \(gain.grouped) more, \
            \(number("subjects", "same").grouped) as many.
            """
    }

    private var decisions: String {
        let (compared, others) = (number("differences", "compared"), number("differences", "outcome"))
        if compared == 0 { return "There was nothing to decide." }
        if compared == number("differences", "same") { return "No decision differs." }
        if others == 0 { return "Every decision comes out the same, but for some of the reasons or texts." }
        return "Of \(compared.of("decision")), \(others.grouped) \(others == 1 ? "comes" : "come") out differently."
    }

    private var source: String {
        let file = text("signals", "file")
        var source = "\(number("signals", "lines").of("line")) of \(file == "-" ? "standard input" : file)"
        if case let (from, to) = (text("signals", "from"), text("signals", "to")), !from.isEmpty {
            source += ", from \(from.readable) to \(to.readable)"
        }
        return source + sample + "."
    }

    private var sample: String {
        guard let sample = report.value(at: ["signals", "sample"])?.map else { return "" }
        if let count = sample["count"]?.integer { return "; \(count.grouped) of the subjects" }
        return "; a share of \(sample["share"]?.json ?? "1") of the subjects"
    }

    private func number(_ path: String...) -> Int64 { report.value(at: path[...])?.integer ?? 0 }
    private func text(_ path: String...) -> String { report.value(at: path[...])?.text ?? "" }
}

/// A part of a whole in percent, with one digit after the point.
private struct Percent {
    private let tenths: Int64

    init(_ part: Int64, of whole: Int64) { tenths = Int64((1000 * Double(part) / Double(whole)).rounded()) }

    var signed: String {
        let fraction = abs(tenths % 10)
        // What is little is not nothing.
        if tenths == 0 { return "under 0.1 %" }
        return "\(tenths < 0 ? "−" : "+")\(abs(tenths / 10).grouped)\(fraction == 0 ? "" : ".\(fraction)") %"
    }
}

extension Int64 {
    /// With commas between thousands, and a minus sign that is as wide as a plus.
    var grouped: String {
        var (digits, text) = (Array(String(magnitude)), "")
        while digits.count > 3 {
            text = "," + String(digits.suffix(3)) + text
            digits.removeLast(3)
        }
        return (self < 0 ? "−" : "") + String(digits) + text
    }

    fileprivate var signed: String { self == 0 ? "–" : self < 0 ? grouped : "+\(grouped)" }

    /// `1 line`, `2 lines`.
    fileprivate func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// An instant in RFC 3339 as people write it.
    fileprivate var readable: String {
        String(map { $0 == "T" ? " " : $0 }).replacing("Z", with: " UTC")
    }
}
