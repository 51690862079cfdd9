import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
final class NameTable<Element: AnyObject & Sendable>: @unchecked Sendable {
    // Unchecked: written once, before it is shared.
    private let elements: [Element]
    private let entries: UnsafeMutableBufferPointer<Entry>
    private let index: HashIndex

    private struct Entry {
        let name: CText
        let element: Lent<Element>
    }

    /// Names that come twice lead to the first.
    init(_ elements: [Element], name: (Element) -> CText) {
        self.elements = elements
        entries = .allocate(capacity: max(1, elements.count))
        var index = HashIndex(capacity: elements.count)
        for (place, element) in elements.enumerated() {
            let name = name(element)
            entries.initializeElement(at: place, to: Entry(name: name, element: Lent(element)))
            if index.find(name.hash, { [entries] in entries[$0].name.has(name.bytes) }) == nil {
                index.insert(name.hash, at: place)
            }
        }
        self.index = index
    }

    deinit {
        entries.baseAddress!.deinitialize(count: elements.count)
        entries.deallocate()
    }

    subscript(name: String) -> Element? { lent(name)?.object }

    func lent(_ name: String) -> Lent<Element>? {
        name.withBytes { name in
            index.find(stableHash(name)) { entries[$0].name.has(name) }.map { entries[$0].element }
        }
    }

    var keys: [String] { entries.prefix(elements.count).map(\.name.text) }
}
