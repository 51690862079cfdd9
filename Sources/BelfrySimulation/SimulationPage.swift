import BelfryModel
import BelfrySignals
import CSimulationPage

/// What came of a simulation as one page of HTML that loads nothing: the report itself is embedded, and a script in the page
/// draws it. The headline needs no script.
///
/// Names and sentences in a report come from outside. They get into the page as escaped text here, and as text nodes by the
/// script; the page's own policy allows neither another script nor the network.
public struct SimulationPage {
    private let report: Value

    /// - Parameter report: as `belfry simulate --json` prints it (docs/simulate.md).
    public init(_ report: Value) { self.report = report }

    /// Replaces what the output holds, if it is a file.
    public func write(to output: ByteOutput) throws {
        if try output.position() != nil { try output.cut(to: 0) }
        try output.append(bytes)
        try output.flush()
    }

    var bytes: [UInt8] {
        let headline = SimulationHeadline(report)
        var parts = headline.parts.mapValues { Array($0.escapedForHTML.utf8) }
        parts["totals"] = Array(headline.totals.map(\.html).joined().utf8)
        parts["nonce"] = Array(Self.nonce().utf8)
        parts["style"] = Array(String(cString: belfry_page_css()).utf8)
        parts["script"] = Array(String(cString: belfry_page_js()).utf8)
        parts["data"] = Array(report.json.utf8).escapedForScript
        return Self.filled(Array(String(cString: belfry_page_html()).utf8), with: parts)
    }

    /// What is filled in is not looked through again.
    private static func filled(_ template: [UInt8], with parts: [String: [UInt8]]) -> [UInt8] {
        var page: [UInt8] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")), let close = rest.firstIndex(of: UInt8(ascii: "}")) {
            page += rest[..<open]
            guard let part = parts[String(decoding: rest[(open + 1)..<close], as: UTF8.self)] else {
                preconditionFailure("the page names a part that nobody fills in")
            }
            page += part
            rest = rest[(close + 1)...]
        }
        return page + rest
    }

    /// What marks the page's own style and script. It is new in each page, so that nothing that is embedded can know it.
    private static func nonce() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
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

extension String {
    /// As text of an element, or in a quoted attribute.
    fileprivate var escapedForHTML: String {
        reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
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
