import BelfryEngine
import BelfryModel
import CBelfry

/// The memory of one state, as the host keeps it in a subject's record.
final class StateMemory {
    let memory: UnsafeMutableRawPointer
    private let table: belfry_strategy
    /// Nil: plain memory.
    private let guarded: LentMemory?

    /// Nil if it keeps none.
    init?(of chainable: Chainable, isGuarded: Bool = false) {
        guard chainable.hasState, let table = chainable.strategy?.pointee else { return nil }
        self.table = table
        let (size, alignment) = (Int(table.state_size), Int(table.state_alignment))
        guarded = isGuarded ? LentMemory(bytes: 1 << 22) : nil
        memory =
            guarded?.room(size, alignment: alignment, "the state")
            ?? .allocate(byteCount: size, alignment: alignment)
        // Padding is compared too.
        memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: size)
        table.state_init(table.type, memory)
    }

    deinit {
        table.state_destroy(table.type, memory)
        if guarded == nil { memory.deallocate() }
    }

    var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: memory, count: Int(table.state_size))) }

    func save(_ lent: LentMemory? = nil) -> SavedState {
        let drain = StateDrain(version: table.state_version)
        drain.withWriter { table.state_save(table.type, memory, lent?.lend($0.pointee, "the writer") ?? $0) }
        lent?.takeBack()
        return drain.saved
    }

    /// Fills a state that is fresh. Nil if that went well, else the sentence of the plugin, which may be empty.
    func load(_ saved: SavedState, _ lent: LentMemory? = nil) -> String? {
        let source = SavedSource(saved, lent)
        let (status, sentence) = collectText { error in
            source.withReader { reader in
                table.state_load(
                    table.type, memory, saved.version, lent?.lend(reader.pointee, "the reader") ?? reader,
                    lent?.lend(error.pointee, "the sink") ?? error)
            }
        }
        lent?.takeBack()
        return status == BELFRY_OK ? nil : sentence
    }
}
