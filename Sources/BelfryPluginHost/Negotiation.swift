import BelfryEngine
import CBelfry

/// The ABI that this host speaks, as refusals print it.
let hostABI = "\(BELFRY_ABI_MAJOR).\(BELFRY_ABI_MINOR)"
let rebuildFix = "rebuild it with a BelfryPlugin \(BELFRY_ABI_MAJOR).x release, or run a newer host"

/// Host and plugin find out whether they can work together. In this order, as the contract has it:
///
/// 1. the entry, which gives the root: magic, ABI, size and flags, then id and version
/// 2. the roster: no other plugin has that id
/// 3. `init`, once
/// 4. `get_extension`: every table and every description in it
///
/// Each step reports everything that it finds; a step that failed ends the negotiation, because what the next
/// one would read cannot be relied on.
package struct Negotiation {
    let path: String
    private let hosts: HostPointers

    package init(path: String, _ hosts: HostPointers) { (self.path, self.hosts) = (path, hosts) }

    /// Returns the plugin, ready to be used and entered in the roster, or a refusal.
    func conclude(with image: PluginImage, roster: inout PluginRoster) throws(PluginRefusal) -> LoadedPlugin {
        let root = try self.root(of: image)
        let (id, version) = try checkRoot(root)
        try roster.checkID(id, path: path)
        try initialize(root, id: id)
        do {
            var findings = Findings()
            let plugin = offers(of: root, id: id, version: version, &findings)
            try findings.refuse(path)
            try roster.enter(plugin)
            return plugin
        } catch {
            // It was set up, so it may clean up; nothing of it is called after that.
            root.pointee.deinit?()
            throw error
        }
    }

    package func root(of image: PluginImage) throws(PluginRefusal) -> UnsafePointer<belfry_plugin> {
        if let root = image.root(for: hosts.common.pointer) { return root }
        throw PluginRefusal(
            path: path, .declined,
            why: "its entry returned NULL: it will not work with this host (ABI \(hostABI))",
            fix: rebuildFix)
    }

    private func checkRoot(
        _ root: UnsafePointer<belfry_plugin>
    ) throws(PluginRefusal) -> (id: String, version: String) {
        var findings = Findings()
        try checkWords(root, &findings)
        let names = identity(of: root, &findings)
        try findings.refuse(path)
        return names
    }

    /// Checks all of the root but its texts.
    package func checkWords(_ root: UnsafePointer<belfry_plugin>, _ findings: inout Findings) throws(PluginRefusal) {
        guard root.pointee.magic == BELFRY_MAGIC else {
            // Not a root at all: whatever follows in memory says nothing.
            findings.note(
                .otherABI,
                "its root begins with \(hex(root.pointee.magic)); a plugin's begins with \(hex(BELFRY_MAGIC))"
            )
            throw PluginRefusal(path: path, differences: findings.differences)
        }
        let layoutIsKnown = checkLayout(root, &findings)
        // Texts and pointers lie where this host expects them only if the layout is the same.
        guard layoutIsKnown else { throw PluginRefusal(path: path, differences: findings.differences) }
        if root.pointee.reserved != (0, 0, 0, 0) {
            findings.note(
                .otherABI, "the reserved words of its root are not zero; this host knows no use for them",
                fix: rebuildFix)
        }
        if root.pointee.get_extension == nil {
            findings.note(.incomplete, "its 'get_extension' is NULL; it is required")
        }
    }

    /// What the plugin says of itself.
    package func identity(of root: UnsafePointer<belfry_plugin>, _ findings: inout Findings) -> (
        id: String, version: String
    ) {
        let id = findings.text(root.pointee.id, "its id", required: true)
        let version = findings.text(root.pointee.version, "its version", required: true)
        _ = findings.text(root.pointee.built_with, "its 'built_with'")
        for (name, text) in [("id", id ?? ""), ("version", version ?? "")] where text.contains(where: \.isWhitespace) {
            findings.note(
                .incomplete, "its \(name) '\(text)' has blanks in it",
                fix: "write one word, such as 'quiet-hours' or '1.2.0'")
        }
        return (id ?? "", version ?? "")
    }

    /// Notes what differs in the first words, which every revision has in common; whether the rest can be
    /// read.
    private func checkLayout(_ root: UnsafePointer<belfry_plugin>, _ findings: inout Findings) -> Bool {
        let size = UInt32(MemoryLayout<belfry_plugin>.size)
        let (major, minor) = (root.pointee.abi_major, root.pointee.abi_minor)
        if major != BELFRY_ABI_MAJOR || minor > BELFRY_ABI_MINOR {
            findings.note(
                .otherABI, "it was built for ABI \(major).\(minor); this host speaks ABI \(hostABI)",
                fix: rebuildFix)
        }
        if root.pointee.size != size {
            findings.note(
                .otherABI, "its root has \(root.pointee.size) bytes; this host's has \(size)", fix: rebuildFix
            )
        }
        if root.pointee.flags != 0 {
            findings.note(
                .otherABI, "its flags are \(hex(UInt64(root.pointee.flags))); this host knows none",
                fix: rebuildFix)
        }
        return major == BELFRY_ABI_MAJOR && root.pointee.size == size
    }

    package func initialize(_ root: UnsafePointer<belfry_plugin>, id: String? = nil) throws(PluginRefusal) {
        guard let initialize = root.pointee.`init` else { return }
        let host = id.map(hosts.pointer(for:)) ?? hosts.common.pointer
        let (status, sentence) = collectText { initialize(host, $0) }
        guard status != BELFRY_OK else { return }
        throw PluginRefusal(
            path: path, .declined,
            why: sentence.isEmpty
                ? "its init failed with status \(status) and no word why"
                : "its init failed: \(sentence)",
            fix: sentence.isEmpty
                ? "have the plugin say why, through the sink of init"
                : "remove that cause, then load it again")
    }

    /// Its tables, to be used if nothing was noted.
    package func offers(
        of root: UnsafePointer<belfry_plugin>, id: String, version: String, _ findings: inout Findings
    ) -> LoadedPlugin {
        let plugin = LoadedPlugin(id: id, version: version, path: path, tables(of: root, &findings))
        findings.checkNamesAreUnique(plugin)
        return plugin
    }

    private func tables(of root: UnsafePointer<belfry_plugin>, _ findings: inout Findings) -> LoadedPlugin.Tables {
        func table<Table>(_ id: String, _: Table.Type) -> UnsafePointer<Table>? {
            root.pointee.get_extension?(id)?.assumingMemoryBound(to: Table.self)
        }
        let strategies = table(BELFRY_EXTENSION_STRATEGY, belfry_strategies.self)
        let filters = table(BELFRY_EXTENSION_FILTER, belfry_filters.self)
        let actions = table(BELFRY_EXTENSION_ACTIONS, belfry_actions.self)
        let sinks = table(BELFRY_EXTENSION_SINK, belfry_sink_types.self)
        if strategies == nil, filters == nil, actions == nil, sinks == nil { findings.noteThatItOffersNothing() }
        // Alone they are of no use: they are about strategies.
        let receipts = table(BELFRY_EXTENSION_RECEIPTS, belfry_receipts.self)
        let outcomes = table(BELFRY_EXTENSION_OUTCOMES, belfry_outcomes.self)
        let offered = strategies.map { findings.checkStrategies($0) } ?? []
        if let outcomes { findings.checkOutcomes(outcomes, of: offered) }
        return LoadedPlugin.Tables(
            root: root, strategies: offered, filters: filters.map { findings.checkFilters($0) } ?? [],
            actions: actions.map { findings.checkActions($0) } ?? [],
            sinks: sinks.map { findings.checkSinks($0) } ?? [],
            receipts: receipts.map { findings.checkReceipts($0, of: offered) } ?? [], outcomes: outcomes)
    }
}

extension Findings {
    fileprivate mutating func noteThatItOffersNothing() {
        let known = [
            BELFRY_EXTENSION_STRATEGY, BELFRY_EXTENSION_FILTER, BELFRY_EXTENSION_ACTIONS, BELFRY_EXTENSION_SINK,
        ]
        note(.incomplete, "it offers nothing that this host knows: \(known.joined(separator: ", "))")
    }
}

private func hex(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }
