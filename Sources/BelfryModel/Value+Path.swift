extension Value {
    /// Walks down mappings by key and lists by position (from 0); nil where the path leads nowhere. An empty path leads here.
    public func value(at path: ArraySlice<String>) -> Value? {
        guard let step = path.first else { return self }
        return switch self {
        case .map(let fields): fields.value(at: path)
        case .list(let list): list.item(at: step)?.value(at: path.dropFirst())
        default: nil
        }
    }
}

extension Fields {
    /// Walks down as `Value` does.
    public func value(at path: ArraySlice<String>) -> Value? {
        guard let key = path.first else { return .map(self) }
        return self[key]?.value(at: path.dropFirst())
    }
}

extension [Value] {
    fileprivate func item(at position: String) -> Value? {
        guard let index = Int(position), indices.contains(index) else { return nil }
        return self[index]
    }
}
