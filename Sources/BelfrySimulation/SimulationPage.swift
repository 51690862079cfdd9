import BelfryModel
import CSimulationPage

/// What came of a simulation as one page of HTML that loads nothing: the report itself is embedded, and a script in the page
/// draws it. The headline needs no script.
///
/// Names and sentences in a report come from outside. They get into the page as escaped text here, and as text nodes by the
/// script; the page's own policy allows neither another script nor the network.
public struct SimulationPage: Page {
    private let report: Value

    /// - Parameter report: as `belfry simulate --json` prints it (docs/simulate.md).
    public init(_ report: Value) { self.report = report }

    public var bytes: [UInt8] {
        let headline = SimulationHeadline(report)
        var parts = headline.parts.mapValues { Array($0.escapedForHTML.utf8) }
        parts["totals"] = Array(headline.totals.map(\.html).joined().utf8)
        parts["brand"] = Array("belfry simulate".utf8)
        parts["script"] = Array(String(cString: belfry_page_js()).utf8)
        parts["data"] = Array(report.json.utf8).escapedForScript
        return filled(belfry_page_html(), with: parts)
    }
}

extension SimulationHeadline.Total {
    fileprivate var html: String {
        """
              <tr><th scope="row">\(what)</th><td>\(a.grouped)</td><td>\(b.grouped)</td>\
        <td>\(difference)\(share.map { "<small>(\($0))</small>" } ?? "")</td></tr>

        """
    }
}

extension [UInt8] {
    /// JSON as the content of a `script` element: no `</script` and no `<!--`, which end or change it. JSON has a `<` only
    /// within texts, where the escape means the same.
    fileprivate var escapedForScript: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for byte in self {
            if byte == UInt8(ascii: "<") { bytes += Array("\\u003c".utf8) } else { bytes.append(byte) }
        }
        return bytes
    }
}
