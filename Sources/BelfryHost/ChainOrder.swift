import BelfryEngine

/// An order of the chain that a plugin declares impossible.
public struct OrderRefusal: Error, CustomStringConvertible {
    let entry: String
    let relation: String
    let other: String
    let plugin: String
    let reason: String?

    public var description: String {
        """
        cannot put '\(entry)' there
          why: plugin '\(plugin)' says that '\(entry)' belongs \(relation) '\(other)'\(reason.map { ": \($0)" } ?? "")
          fix: keep '\(entry)' \(relation) '\(other)'
        """
    }
}

extension Workspace {
    /// Moves an entry in the file, unless a plugin declares the new order impossible.
    public func move(_ id: String, to destination: ChainEditor.Destination) throws -> ChainEditor.Change {
        if let refusal = refusal(of: chain(moving: id, to: destination)) { throw refusal }
        return try ChainEditor(path: document.path).move(id, to: destination)
    }

    /// The chain after a move; as it is, if there is no such entry: the editor has the words for that.
    private func chain(moving id: String, to destination: ChainEditor.Destination) -> [Configuration.Entry] {
        var chain = configuration.chain
        guard let from = chain.firstIndex(where: { $0.id == id }) else { return chain }
        let entry = chain.remove(at: from)
        let to: Int? =
            switch destination {
            case .first: 0
            case .last: chain.endIndex
            case .before(let other): chain.firstIndex { $0.id == other }
            case .after(let other): chain.firstIndex { $0.id == other }.map { $0 + 1 }
            }
        chain.insert(entry, at: to ?? from)
        return chain
    }

    private func refusal(of chain: [Configuration.Entry]) -> OrderRefusal? {
        for (position, entry) in chain.enumerated() {
            guard let manifest = plugins.provider(ofStrategy: entry.strategy)?.manifest,
                let strategy = manifest.strategies.first(where: { $0.name == entry.strategy })
            else { continue }
            func refuse(_ relation: String, _ other: Configuration.Entry) -> OrderRefusal {
                OrderRefusal(
                    entry: entry.id, relation: relation, other: other.id, plugin: manifest.id, reason: strategy.orderReason)
            }
            if let other = chain[..<position].first(where: { strategy.before.contains($0.strategy) }) { return refuse("before", other) }
            if let other = chain[position...].first(where: { strategy.after.contains($0.strategy) }) { return refuse("after", other) }
        }
        return nil
    }
}
