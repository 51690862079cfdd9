import BelfryEngine
import BelfryModel
import CBelfry

/// The memory of one state, as the engine hands it to the plugin.
final class StateMemory {
    let memory: UnsafeMutableRawPointer
    private let layout: StateLayout
    private var table: belfry_strategy { layout.table.pointee }
    /// Nil: plain memory.
    private let guarded: LentMemory?
    /// Texts and lists of declared fields.
    private var series = Arena()

    /// Nil if the plugin on that stage keeps none.
    init?(of stage: Stage, isGuarded: Bool = false) {
        guard let layout = stage.layout else { return nil }
        self.layout = layout
        guarded = isGuarded ? LentMemory(bytes: 1 << 22) : nil
        memory =
            guarded?.room(layout.size, alignment: layout.alignment, "the state")
            ?? .allocate(byteCount: layout.size, alignment: layout.alignment)
        if layout.isDeclared {
            memory.copyMemory(from: layout.new, byteCount: layout.size)
        } else {
            // Padding is compared too.
            memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: layout.size)
            table.state_init(table.type, memory)
        }
    }

    deinit {
        if !layout.isDeclared { table.state_destroy(table.type, memory) }
        if guarded == nil { memory.deallocate() }
    }

    var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: layout.size)) }

    /// What is stored of it. Of declared fields the version says nothing.
    func save(_ lent: LentMemory? = nil) -> SavedState {
        if layout.isDeclared {
            var saved = SavedState(version: 0)
            saved.values = layout.values(in: memory) ?? []
            return saved
        }
        let collector = StateCollector()
        collector.withWriter { table.state_save(table.type, memory, lent?.lend($0.pointee, "the writer") ?? $0) }
        lent?.takeBack()
        var saved = SavedState(version: table.state_version)
        saved.values = collector.values
        return saved
    }

    /// Fills a state that is fresh. Nil if that went well, else the sentence of the plugin, which may be empty.
    func load(_ saved: SavedState, _ lent: LentMemory? = nil) -> String? {
        if layout.isDeclared {
            load(saved.values)
            return nil
        }
        let arena = Arena()
        let source = StateSource(saved.values) {
            lent?.lend($0, alignment: 8, "a text or list of the saved state") ?? arena.copy($0)
        }
        let (status, sentence) = collectText { error in
            source.withReader { reader in
                table.state_load(
                    table.type, memory, saved.version, Moment.start.milliseconds,
                    lent?.lend(reader.pointee, "the reader") ?? reader,
                    lent?.lend(error.pointee, "the sink") ?? error)
            }
        }
        lent?.takeBack()
        return status == BELFRY_OK ? nil : sentence
    }

    private func load(_ values: [StatePair]) {
        // What they are read from lies in the former one until then.
        let series = Arena()
        layout.restore(values, into: memory, series)
        self.series = series
    }
}

// MARK: Telling

extension StateMemory {
    /// Tells the plugin something, as the engine does: what it changes is stored and loaded again, and a failure leaves no trace.
    ///
    /// - Parameter isQuick: whether it is believed when it says that a state which saves itself is unchanged.
    /// - Returns: what the host would take for a fault; nil if there is none.
    func tell(isQuick: Bool, _ hook: (UnsafePointer<belfry_sink>) -> belfry_told) -> String? {
        let (before, saved) = (bytes, layout.isDeclared || isQuick ? nil : save())
        let telling = Telling(hook)
        if case .changed = telling { return keep(before) }
        let hasChanged = saved.map { $0 != save() } ?? (layout.isDeclared && before != bytes)
        if layout.isDeclared { restore(before) }
        return telling.failure ?? (hasChanged ? "it said that its state is unchanged, and has changed it" : nil)
    }

    private func keep(_ before: [UInt8]) -> String? {
        guard layout.isDeclared else { return nil }
        guard let values = layout.values(in: memory) else {
            defer { restore(before) }
            return layout.misfit(in: memory)
        }
        load(values)
        return nil
    }

    private func restore(_ before: [UInt8]) {
        before.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }  // never empty
    }
}
