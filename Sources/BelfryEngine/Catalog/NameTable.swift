import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
///
/// Open addressing with linear probing; names that come twice lead to the first. An object, since to ask a struct of these lists
/// would count each of them.
final class NameTable<Element: Sendable>: Sendable {
    private let names: [String]
    private let hashes: [UInt64]
    private let elements: [Element]
    /// The index of a name; -1 is free. At most half are taken.
    private let places: [Int32]

    init(_ elements: [Element], name: (Element) -> String) {
        self.elements = elements
        names = elements.map(name)
        hashes = names.map(\.textHash)
        var size = 16
        while size < names.count * 2 { size *= 2 }
        var places = [Int32](repeating: -1, count: size)
        for index in names.indices {
            var place = Self.place(of: hashes[index], size)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(index)
        }
        self.places = places
    }

    subscript(name: String) -> Element? { index(of: name).map { elements[$0] } }

    /// The place of the element in the list that the table was made of.
    func index(of name: String) -> Int? {
        let hash = name.textHash
        var place = Self.place(of: hash, places.count)
        while case let index = Int(places[place]), index >= 0 {
            if hashes[index] == hash, names[index].isSameText(as: name) { return index }
            place = (place + 1) & (places.count - 1)
        }
        // Bytes of ASCII have one spelling; other texts may be spelt in two ways.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : names.firstIndex(of: name)
    }

    var keys: [String] { names }

    private static func place(of hash: UInt64, _ size: Int) -> Int {
        Int(truncatingIfNeeded: hash >> 16) & (size - 1)
    }
}
