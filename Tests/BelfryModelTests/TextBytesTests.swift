import BelfryModel
import Testing

/// Texts by their bytes.
@Suite struct TextBytesTests {
    static let text = "abcdefghijklmnopqrstuvwxyz0123456789"

    /// The same text in a place of its own, where a short one lies within the value otherwise.
    private func elsewhere(_ text: String) -> String {
        var copy = ""
        copy.reserveCapacity(64)
        copy += text
        return copy
    }

    @Test(arguments: 0...36)
    func `wherever a text lies, it is the same one`(count: Int) {
        let text = String(Self.text.prefix(count))
        let other = elsewhere(text)
        #expect(text.machineWords != other.machineWords)
        #expect(text.isSameText(as: other) && other.isSameText(as: text))
        #expect(text.textHash == other.textHash)
        let isEqual = text.withBytes { left in other.withBytes { right in left.elementsEqual(right) } }
        #expect(isEqual)
    }

    @Test(arguments: 1...36)
    func `another byte anywhere makes another text`(count: Int) {
        let text = String(Self.text.prefix(count))
        for place in 0..<count {
            var bytes = Array(text.utf8)
            bytes[place] ^= 1
            let changed = String(decoding: bytes, as: UTF8.self)
            for other in [changed, elsewhere(changed)] {
                #expect(!text.isSameText(as: other) && !elsewhere(text).isSameText(as: other))
                #expect(text.textHash != other.textHash)
            }
        }
        let shorter = String(text.dropLast())
        #expect(!text.isSameText(as: shorter) && text.textHash != shorter.textHash)
    }

    /// A table of 2048 places takes its place from these bits: names that differ in their last digits only share few.
    @Test func `names that differ in their last digits lie apart`() {
        let places = Set((0..<1000).map { "campaign-\($0)".textHash >> 16 & 2047 })
        #expect(places.count > 700)
    }
}
