extension Value {
    /// Copies a value of the host. Durations and instants, which occur in parameters only, become whole numbers of ms.
    init(_ raw: UnsafePointer<belfry_value>) {
        let items = UnsafeBufferPointer(start: raw.pointee.items, count: Int(raw.pointee.count))
        switch raw.pointee.kind {
        case BELFRY_BOOLEAN: self = .bool(raw.pointee.integer != 0)
        case BELFRY_INTEGER, BELFRY_DURATION, BELFRY_INSTANT: self = .integer(raw.pointee.integer)
        case BELFRY_NUMBER: self = .number(raw.pointee.number)
        case BELFRY_TEXT: self = .text(String(belfry: raw.pointee.text) ?? "")
        // What has items has an address.
        case BELFRY_LIST: self = .list(items.indices.map { Value(items.baseAddress! + $0) })
        case BELFRY_MAP: self = .map(Fields(borrowed: items))
        default: self = .null
        }
    }

    /// Lends this value in C.
    func withRaw<Result>(_ body: (UnsafePointer<belfry_value>) -> Result) -> Result {
        let arena = Arena()
        var raw = arena.value(self)
        return withExtendedLifetime(arena) { body(&raw) }
    }
}

extension Fields {
    fileprivate init(borrowed items: UnsafeBufferPointer<belfry_value>) {
        self.init()
        for index in items.indices {
            let item = items.baseAddress! + index  // has items, so an address
            append(Value(item), forNewKey: String(belfry: item.pointee.key) ?? "")
        }
    }
}
