import Foundation

extension String {
    /// The same JSON with characters in place of pairs such as `\ud83d\ude00`: JSON is YAML, and the parser of YAML refuses these. What is no
    /// JSON object stays as it is, since a backslash means other things in YAML.
    var withoutSurrogatePairs: String {
        guard contains("\\u"), (try? JSONSerialization.jsonObject(with: Data(utf8))) is [String: Any] else {
            return self
        }
        // Each escape is taken as a whole: the backslash of another one begins none.
        let escape = /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)/
            .matchingSemantics(.unicodeScalar)
        return replacing(escape) { match in
            guard let high = match.1.flatMap({ UInt32($0, radix: 16) }),
                let low = match.2.flatMap({ UInt32($0, radix: 16) }),
                let scalar = Unicode.Scalar(0x10000 + (high & 0x3FF) << 10 + low & 0x3FF)
            else { return String(match.0) }
            return String(scalar)
        }
    }
}
