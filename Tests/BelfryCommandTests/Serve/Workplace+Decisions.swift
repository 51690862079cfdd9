import BelfryModel
import Foundation

extension Workplace {
    /// All that the journal has, behind a cursor if one is given, as the command reads it.
    func decisions(after cursor: String? = nil, arguments: String...) throws -> [String] {
        var (decisions, cursor) = ([String](), cursor)
        while true {
            let place = cursor.map { ["--after", $0] } ?? []
            let result = try belfry(
                ["decisions", "list", "--json", "--limit", "10000"] + place + arguments, input: Data())
            let page = result.output.split(separator: "\n").first.flatMap { Value(json: Array($0.utf8)[...])?.map }
            let more = (page?["decisions"]?.list ?? []).map(\.json)
            guard !more.isEmpty, let next = page?["next"]?.text else { return decisions }
            decisions += more
            cursor = next
        }
    }
}
