import BelfrySignals
import CSimulationPage

/// A page of HTML that loads nothing.
public protocol Page {
    var bytes: [UInt8] { get }
}

extension Page {
    /// Replaces what the output holds, if it is a file.
    public func write(to output: ByteOutput) throws {
        if try output.position() != nil { try output.cut(to: 0) }
        try output.append(bytes)
        try output.flush()
    }

    /// A template with its parts in place, and the style and the nonce, which every page has. What is filled in is not looked through again.
    func filled(_ template: UnsafePointer<CChar>, with parts: [String: [UInt8]]) -> [UInt8] {
        var parts = parts
        parts["style"] = Array(String(cString: belfry_page_css()).utf8)
        parts["nonce"] = Array(nonce().utf8)
        var page: [UInt8] = []
        var rest = Array(String(cString: template).utf8)[...]
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
    private func nonce() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36) + String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension String {
    /// As text of an element, or in a quoted attribute.
    var escapedForHTML: String {
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
