/// The members of a JSON object, in their order. Keys are unique, byte by byte: the last one given wins, in the place of the first.
///
/// A list, not a hash table: the objects of this domain have a handful of keys, and order is kept for the bytes of the output.
/// Two are equal when they have the same keys with the same values, in any order, as in JSON.
public struct Fields: Sendable {
    public private(set) var entries: [Entry] = []

    public struct Entry: Sendable, Hashable {
        public let key: String
        public var value: Value
    }

    public init() {}

    public init(_ pairs: some Sequence<(String, Value)>) {
        // A few keys are found fastest by looking at them, many by an index.
        var places: [SubjectKey: Int] = [:]
        for (key, value) in pairs {
            let isMany = entries.count > 16
            if isMany, places.isEmpty {
                for (place, entry) in entries.enumerated() { places[SubjectKey(entry.key)] = place }
            }
            if let place = isMany ? places[SubjectKey(key)] : place(of: key) {
                entries[place].value = value
            } else {
                if isMany { places[SubjectKey(key)] = entries.count }
                entries.append(Entry(key: key, value: value))
            }
        }
    }

    public var isEmpty: Bool { entries.isEmpty }
    public var count: Int { entries.count }
    public var keys: some Sequence<String> { entries.lazy.map(\.key) }

    /// The value under `key`; setting nil removes it.
    public subscript(key: String) -> Value? {
        get { place(of: key).map { entries[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func place(of key: String) -> Int? {
        // By their places: an entry would be copied with its value.
        entries.indices.first { entries[$0].key.isSameText(as: key) }
    }

    /// - Parameter capacity: how many members will be added.
    package init(capacity: Int) { entries.reserveCapacity(capacity) }

    /// Adds a member that is known to be new, without looking for it first.
    public mutating func append(_ value: Value, forNewKey key: String) {
        entries.append(Entry(key: key, value: value))
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }
}

extension Fields: Hashable {
    public static func == (left: Fields, right: Fields) -> Bool {
        left.count == right.count && left.entries.allSatisfy { right[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(entries.reduce(0) { $0 ^ $1.hashValue })
    }
}
