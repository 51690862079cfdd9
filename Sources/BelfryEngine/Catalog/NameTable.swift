import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
///
/// Open addressing with linear probing; names that come twice lead to the first.
struct NameTable<Element: Sendable>: Sendable {
    private let names: [String]
    private let elements: [Element]
    /// The index of a name; -1 is free. At most half are taken.
    private let places: [Int32]

    init(_ elements: [Element], name: (Element) -> String) {
        self.elements = elements
        names = elements.map(name)
        var size = 16
        while size < names.count * 2 { size *= 2 }
        var places = [Int32](repeating: -1, count: size)
        for index in names.indices {
            var place = Self.place(of: names[index], size)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(index)
        }
        self.places = places
    }

    subscript(name: String) -> Element? {
        var place = Self.place(of: name, places.count)
        while case let index = Int(places[place]), index >= 0 {
            if names[index].isSameText(as: name) { return elements[index] }
            place = (place + 1) & (places.count - 1)
        }
        // Bytes of ASCII have one spelling; other texts may be spelt in two ways.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : names.firstIndex(of: name).map { elements[$0] }
    }

    var keys: [String] { names }

    private static func place(of name: String, _ size: Int) -> Int {
        Int(truncatingIfNeeded: name.textHash >> 16) & (size - 1)
    }
}
