import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
///
/// Open addressing with linear probing; names that come twice lead to the first. A name lies where it is looked for, so that a search
/// touches one line of memory, and to look counts no references.
final class NameTable<Element: AnyObject & Sendable>: @unchecked Sendable {
    // Unchecked: written once, before anybody else sees it.
    private let elements: [Element]
    private let name: @Sendable (Element) -> String
    /// At most half are taken.
    private let places: UnsafeMutableBufferPointer<Place>

    private struct Place {
        var name = ""
        var hash: UInt64 = 0
        /// Nil where it is free.
        var element: Unmanaged<Element>?
    }

    init(_ elements: [Element], name: @escaping @Sendable (Element) -> String) {
        self.elements = elements
        self.name = name
        var size = 16
        while size < elements.count * 2 { size *= 2 }
        places = .allocate(capacity: size)
        places.initialize(repeating: Place())
        for element in elements {
            let name = name(element)
            let hash = name.textHash
            var index = index(of: hash)
            while places[index].element != nil { index = next(index) }
            places[index] = Place(name: name, hash: hash, element: .passUnretained(element))
        }
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    subscript(name: String) -> Element? { lent(name)?.takeUnretainedValue() }

    /// The element of that name, which is kept as long as the table is.
    func lent(_ name: String) -> Unmanaged<Element>? {
        let hash = name.textHash
        var index = index(of: hash)
        while let element = places[index].element {
            if places[index].hash == hash, places[index].name.isSameText(as: name) { return element }
            index = next(index)
        }
        // Bytes of ASCII have one spelling; other texts may be spelt in two ways.
        return name.utf8.allSatisfy { $0 < 0x80 } ? nil : inAnySpelling(name)
    }

    private func inAnySpelling(_ name: String) -> Unmanaged<Element>? {
        elements.first { self.name($0) == name }.map { .passUnretained($0) }
    }

    var keys: [String] { elements.map(name) }

    private func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 16) & (places.count - 1) }

    private func next(_ index: Int) -> Int { (index + 1) & (places.count - 1) }
}
