import BelfryModel
import Foundation
import Testing

/// A page of a simulation of a busy week: B allows one notification a day where A allows three. Its names must not be
/// shown as markup.
struct SimulatedPage {
    let place: Workplace
    /// What `--json` prints of the same simulation.
    let report: JSON

    static let image = #"<img src=x onerror="document.title=666">"#
    static let script = "</script><script>document.title=666</script><!--\u{2028}"

    var url: URL { place.file("page.html") }

    init(signals: String = Self.week) throws {
        place = try Workplace([
            "signals.jsonl": signals, "a.yaml": Self.configuration(most: 3), "b.yaml": Self.configuration(most: 1),
        ])
        let arguments = ["simulate", "--signals", "signals.jsonl", "--config", "a.yaml", "--against", "b.yaml"]
        let result = try place.belfry(arguments + ["--json", "--report", "page.html"], input: Data())
        try #require(result.status == 0, "\(result.errors)")
        report = try JSON(result.output)
    }

    func count(_ side: String, _ kind: String) throws -> Int64 {
        try #require(report[side]?.value(at: ["counts", kind])?.integer)
    }

    private static func configuration(most: Int) -> String {
        """
        app: shop
        chain:
          - { strategy: schedule, id: night, parameters: { periods: [ { hours: ["07:00-21:00"] } ], outside: defer } }
          - { strategy: max-per-period, id: \(Value.text(image).json), parameters: { max: \(most), calendar: day } }
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
          - { strategy: cooldown, id: trial, control: observer, parameters: { period: 5h } }
        groups: [ { id: promo } ]
        campaigns:
          - { id: \(Value.text(image).json), message: \(Value.text(script).json), groups: [promo] }
          - { id: plain, message: Plain }
          - { id: a-name-that-is-longer-than-any-phone-is-wide-and-has-no-place-to-break, message: Long, groups: [promo] }

        """
    }

    /// Six requests a day of each of ten people.
    private static var week: String {
        let campaigns = [image, "plain", "a-name-that-is-longer-than-any-phone-is-wide-and-has-no-place-to-break"]
        return (0..<7).flatMap { day in
            ["06", "08", "10", "10", "15", "20"].enumerated().flatMap { index, hour in
                (0..<10).map { person in
                    let signal: Value = [
                        "type": "notification.requested", "subject": .text(person == 0 ? script : "p\(person)"),
                        "time": .text("2026-03-0\(day + 2)T\(hour):\(10 + index * 5):0\(person)Z"),
                        "data": ["campaign": .text(campaigns[(index + person) % 3])],
                    ]
                    return signal.json
                }
            }
        }.asFile
    }
}
