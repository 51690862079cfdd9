import Foundation

/// The value of a header field, with variables of the environment in it: `Bearer ${SHOP_TOKEN}`.
///
/// A secret does not belong in a configuration file.
package struct HeaderText {
    private var pieces: [Piece] = []

    private enum Piece {
        case text(Substring)
        case variable(String)
    }

    /// Nil if a `${` is followed by anything but a name and `}`.
    package init?(_ text: String) {
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            pieces.append(.text(rest[..<start.lowerBound]))
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else { return nil }
            let name = rest[start.upperBound..<end]
            guard let first = name.utf8.first, !(0x30...0x39).contains(first),
                name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isLetterOrDigit })
            else { return nil }
            pieces.append(.variable(String(name)))
            rest = rest[rest.index(after: end)...]
        }
        pieces.append(.text(rest))
    }

    package var hasVariables: Bool {
        pieces.contains { if case .variable = $0 { true } else { false } }
    }

    /// The text with the values of the variables.
    package func filled(from environment: [String: String]) throws(MissingVariable) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let piece): text += piece
            case .variable(let name):
                // A secret that was read from a file often ends with a line.
                let value = environment[name]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
                if value.isEmpty { throw MissingVariable(name: name) }
                text += value
            }
        }
        return text
    }
}

package struct MissingVariable: Error, Equatable {
    package let name: String
}

extension UInt8 {
    var isLetterOrDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x5A).contains(self & 0xDF) }

    /// Part of a token: RFC 9110, section 5.6.2.
    var isTokenByte: Bool { isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
