import Foundation
import Testing

@testable import BelfryModel

@Suite struct Base64Tests {
    @Test func `there is one way to write bytes`() {
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text.utf8) == bytes)
        }
        for wrong in ["A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AA A", "AA\n=", "AAA-", "AA==AA=="] {
            #expect(Base64.decode(wrong.utf8) == nil, "\(wrong)")
        }
    }
}
