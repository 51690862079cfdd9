import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
final class NameTable<Element: AnyObject & Sendable>: @unchecked Sendable {
    // Unchecked: written once, before it is shared.
    private let elements: [Element]
    private let names: [CText]
    private let entries: UnsafeMutableBufferPointer<Entry>
    private let index: HashIndex

    private struct Entry {
        /// Kept by `names`.
        let name: UnsafePointer<CounterKey>
        let element: Lent<Element>
    }

    /// Names that come twice lead to the first.
    init(_ elements: [Element], name: (Element) -> CText) {
        (self.elements, names) = (elements, elements.map(name))
        entries = .allocate(capacity: max(1, elements.count))
        var index = HashIndex(capacity: elements.count)
        for (place, element) in elements.enumerated() {
            let name = names[place]
            entries.initializeElement(at: place, to: Entry(name: name.key, element: Lent(element)))
            if index.find(name.hash, { [names] in names[$0].has(name.bytes) }) == nil {
                index.insert(name.hash, at: place)
            }
        }
        self.index = index
    }

    deinit { entries.deallocate() }

    subscript(name: String) -> Element? { lent(name)?.object }

    func lent(_ name: String) -> Lent<Element>? {
        name.withBytes { name in
            index.find(stableHash(name)) { entries[$0].name.pointee.text.utf8.hasBytes(of: name) }
                .map { entries[$0].element }
        }
    }

    var keys: [String] { names.map(\.text) }
}
