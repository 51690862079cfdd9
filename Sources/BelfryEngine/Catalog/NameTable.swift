import BelfryModel

/// What the configuration has by name, found by the bytes of the name: every signal looks something up.
///
/// Open addressing with linear probing; names that come twice lead to the first. A name lies where it is looked for, so that a search
/// touches one line of memory, and to look counts no references.
final class NameTable<Element: AnyObject & Sendable>: @unchecked Sendable {
    // Unchecked: written once, before anybody else sees it.
    private let elements: [Element]
    private let name: @Sendable (Element) -> String
    private let head: @Sendable (Element) -> UnsafeRawPointer?
    /// At most half are taken.
    private let places: UnsafeMutableBufferPointer<Place>

    private struct Place {
        var name = ""
        /// Nil where it is free.
        var element: Unmanaged<Element>?
        /// What is read of it first.
        var head: UnsafeRawPointer?
    }

    /// - Parameter head: something of an element that is constant and lies elsewhere, for those who look at nothing else.
    init(
        _ elements: [Element], head: @escaping @Sendable (Element) -> UnsafeRawPointer? = { _ in nil },
        name: @escaping @Sendable (Element) -> String
    ) {
        self.elements = elements
        (self.name, self.head) = (name, head)
        var size = 16
        while size < elements.count * 2 { size *= 2 }
        places = .allocate(capacity: size)
        places.initialize(repeating: Place())
        for element in elements {
            let name = name(element)
            var index = index(of: name.textHash)
            while places[index].element != nil { index = next(index) }
            places[index] = Place(name: name, element: .passUnretained(element), head: head(element))
        }
    }

    deinit {
        places.deinitialize()
        places.deallocate()
    }

    subscript(name: String) -> Element? { lent(name)?.takeUnretainedValue() }

    /// The element of that name, which is kept as long as the table is.
    func lent(_ name: String) -> Unmanaged<Element>? {
        place(of: name)?.pointee.element ?? inAnySpelling(name)
    }

    /// The head of the element of that name. Nothing of it is looked at.
    func head(of name: String) -> UnsafeRawPointer? {
        place(of: name)?.pointee.head ?? inAnySpelling(name).flatMap { head($0.takeUnretainedValue()) }
    }

    private func place(of name: String) -> UnsafePointer<Place>? {
        var index = index(of: name.textHash)
        while places[index].element != nil {
            if places[index].name.isSameText(as: name) { return UnsafePointer(places.baseAddress! + index) }
            index = next(index)
        }
        return nil
    }

    @inline(never)
    private func inAnySpelling(_ name: String) -> Unmanaged<Element>? {
        // Bytes of ASCII have one spelling; other texts may be spelt in two ways.
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        return elements.first { self.name($0) == name }.map { .passUnretained($0) }
    }

    var keys: [String] { elements.map(name) }

    private func index(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 16) & (places.count - 1) }

    private func next(_ index: Int) -> Int { (index + 1) & (places.count - 1) }
}
