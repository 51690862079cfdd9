import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
///
/// Open addressing with linear probing; names that come twice lead to the first.
struct NameTable<Element: Sendable>: Sendable {
    private let entries: [(name: String, element: Element)]
    /// The index of an entry; -1 is free. At most half are taken.
    private let places: [Int32]

    init(_ elements: [Element], name: (Element) -> String) {
        entries = elements.map { (name($0), $0) }
        var size = 16
        while size < entries.count * 2 { size *= 2 }
        var places = [Int32](repeating: -1, count: size)
        for index in entries.indices {
            var place = Self.place(of: entries[index].name, size)
            while places[place] >= 0 { place = (place + 1) & (size - 1) }
            places[place] = Int32(index)
        }
        self.places = places
    }

    subscript(name: String) -> Element? {
        var place = Self.place(of: name, places.count)
        while case let index = Int(places[place]), index >= 0 {
            if entries[index].name.isSameText(as: name) { return entries[index].element }
            place = (place + 1) & (places.count - 1)
        }
        // Bytes of ASCII have one spelling; other texts may be spelt in two ways.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : entries.first { $0.name == name }?.element
    }

    var keys: some Sequence<String> { entries.lazy.map(\.name) }

    private static func place(of name: String, _ size: Int) -> Int {
        Int(truncatingIfNeeded: name.textHash >> 16) & (size - 1)
    }
}
