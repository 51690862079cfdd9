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
        var places = KeyPlaces()
        for (key, value) in pairs { set(key, value, &places) }
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

    private func place(of key: String) -> Int? { entries.place(of: key) }

    /// Takes over members by their keys, each of which comes once: those that are here in their places, others behind. Nil removes one.
    package mutating func merge(_ members: some Sequence<(String, Value?)>) {
        var (places, removed) = (KeyPlaces(), Set<Int>())
        for (key, value) in members {
            if let value {
                set(key, value, &places)
            } else if let place = places.place(of: key, in: entries) {
                removed.insert(place)
            }
        }
        if removed.isEmpty { return }
        entries = entries.indices.filter { !removed.contains($0) }.map { entries[$0] }
    }

    private mutating func set(_ key: String, _ value: Value, _ places: inout KeyPlaces) {
        if let place = places.place(of: key, in: entries) {
            entries[place].value = value
        } else {
            places.note(key, at: entries.count)
            entries.append(Entry(key: key, value: value))
        }
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
    public static func == (left: Fields, right: Fields) -> Bool { left.agrees(with: right, ==) }

    /// Whether the other has the same keys, in any order, with values that agree.
    func agrees(with other: Fields, _ agree: (Value, Value) -> Bool) -> Bool {
        guard count == other.count else { return false }
        var places = KeyPlaces()
        return entries.indices.allSatisfy { index in
            // Mostly in the same order.
            let isHere = other.entries[index].key.isSameText(as: entries[index].key)
            let place = isHere ? index : places.place(of: entries[index].key, in: other.entries)
            return place.map { agree(entries[index].value, other.entries[$0].value) } ?? false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(entries.reduce(0) { $0 ^ $1.hashValue })
    }
}

/// Finds keys among entries: the first ones by looking at each entry, which is fastest for a few, all others by a table.
private struct KeyPlaces {
    private var searches = 0
    private var table: [SubjectKey: Int] = [:]
    private static let mostSearches = 16

    mutating func place(of key: String, in entries: [Fields.Entry]) -> Int? {
        if searches < Self.mostSearches {
            searches += 1
            return entries.place(of: key)
        }
        if table.isEmpty { for (place, entry) in entries.enumerated() { table[SubjectKey(entry.key)] = place } }
        return table[SubjectKey(key)]
    }

    /// Knows of a key that is added.
    mutating func note(_ key: String, at place: Int) { if !table.isEmpty { table[SubjectKey(key)] = place } }
}

extension [Fields.Entry] {
    fileprivate func place(of key: String) -> Int? {
        // By their places: an entry would be copied with its value.
        indices.first { self[$0].key.isSameText(as: key) }
    }
}
