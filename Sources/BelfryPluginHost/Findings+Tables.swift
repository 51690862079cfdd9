import BelfryEngine
import BelfryModel
import CBelfry

/// Checks of the tables that a plugin offers. Each returns what can be used if nothing was noted in the end.
extension Findings {
    mutating func checkStrategies(_ table: UnsafePointer<belfry_strategies>) -> [UnsafePointer<
        belfry_strategy
    >] {
        let items = present(table.pointee.items, table.pointee.count, "strategy")
        for (index, item) in items.enumerated() { checkStrategy(item, index) }
        return items
    }

    mutating func checkFilters(_ table: UnsafePointer<belfry_filters>) -> [UnsafePointer<belfry_filter>] {
        let items = present(table.pointee.items, table.pointee.count, "filter")
        for (index, item) in items.enumerated() { checkFilter(item, index) }
        return items
    }

    mutating func checkActions(_ table: UnsafePointer<belfry_actions>) -> [UnsafePointer<belfry_action>] {
        let items = present(table.pointee.items, table.pointee.count, "action")
        var types: Set<String> = []
        for (index, item) in items.enumerated() {
            checkAction(item, index)
            if let type = item.pointee.type.checkedString, !types.insert(type).inserted {
                note(.duplicate, "it offers the action '\(type)' twice")
            }
        }
        return items
    }

    mutating func checkSinks(_ table: UnsafePointer<belfry_sink_types>) -> [UnsafePointer<belfry_sink_type>] {
        let items = present(table.pointee.items, table.pointee.count, "sink")
        var names: Set<String> = []
        for (index, item) in items.enumerated() {
            checkSink(item, index)
            if let name = item.pointee.name.checkedString, !names.insert(name).inserted {
                note(.duplicate, "it offers the sink '\(name)' twice")
            }
        }
        return items
    }

    mutating func checkReceipts(
        _ table: UnsafePointer<belfry_receipts>, of strategies: [UnsafePointer<belfry_strategy>]
    ) -> [UnsafePointer<belfry_receipt_hook>] {
        let items = present(table.pointee.items, table.pointee.count, "receipt hook")
        var names: Set<String> = []
        for (index, item) in items.enumerated() {
            let subject = "receipt hook \(index + 1)"
            require([("on_receipt", item.pointee.on_receipt != nil)], of: subject, "it is required")
            guard let name = text(item.pointee.strategy, "the strategy of \(subject)", required: true) else { continue }
            if !strategies.contains(where: { $0.pointee.name.checkedString == name }) {
                note(.contradiction, "\(subject) is of the strategy '\(name)', which it does not offer")
            }
            if !names.insert(name).inserted { note(.duplicate, "it has two receipt hooks of the strategy '\(name)'") }
        }
        return items
    }

    mutating func checkOutcomes(
        _ table: UnsafePointer<belfry_outcomes>, of strategies: [UnsafePointer<belfry_strategy>]
    ) {
        let names = table.pointee.happened
        guard canRead(table.pointee.count, isMissing: names == nil, "the number of names in its outcomes") else {
            return
        }
        for place in UnsafeBufferPointer(start: names, count: Int(table.pointee.count)) {
            guard let name = text(place, "a name in its outcomes", required: true) else { continue }
            if !strategies.contains(where: { $0.pointee.name.checkedString == name }) {
                note(.contradiction, "its outcomes name the strategy '\(name)', which it does not offer")
            }
        }
    }

    /// Strategies and filters share one space of names, because both stand in the chain.
    mutating func checkNamesAreUnique(_ plugin: LoadedPlugin) {
        var names: Set<String> = []
        for name in plugin.chainNames {
            if name == "belfry" { note(.duplicate, "the name 'belfry' is the host's own") }
            if !names.insert(name).inserted { note(.duplicate, "it offers the name '\(name)' twice") }
        }
    }

    private mutating func present<Item>(
        _ items: UnsafePointer<UnsafePointer<Item>?>?, _ count: UInt64, _ kind: String
    ) -> [UnsafePointer<Item>] {
        guard canRead(count, isMissing: items == nil, "the number of its \(kind) entries") else { return [] }
        return UnsafeBufferPointer(start: items, count: Int(count)).enumerated().compactMap { index, item in
            if item == nil { note(.incomplete, "\(kind) \(index + 1) is NULL") }
            return item
        }
    }

    private mutating func checkStrategy(_ strategy: UnsafePointer<belfry_strategy>, _ index: Int) {
        let number = "strategy \(index + 1)"
        let subject =
            text(strategy.pointee.name, "the name of \(number)", required: true).map { "strategy '\($0)'" }
            ?? number
        _ = text(strategy.pointee.summary, "the summary of \(subject)")
        let counter = text(strategy.pointee.default_counter, "the default counter of \(subject)")
        if let counter, Configuration.Counter(counter) == nil {
            note(
                .contradiction,
                "the default counter of \(subject) is '\(counter)', which is no 'per' of a configuration")
        }
        require(
            [
                ("create", strategy.pointee.create != nil), ("destroy", strategy.pointee.destroy != nil),
                ("should_create", strategy.pointee.should_create != nil),
            ], of: subject, "it is required")
        if strategy.pointee.reserved != 0 {
            note(
                .otherABI, "the reserved word of \(subject) is not zero; this host knows no use for it",
                fix: rebuildFix)
        }
        checkState(strategy.pointee, subject)
        checkOrder(strategy, subject)
        if let root = strategy.pointee.parameters { checkParameters(root, of: subject) }
    }

    private mutating func checkState(_ strategy: belfry_strategy, _ subject: String) {
        let hasFields = strategy.field_count > 0
        if strategy.state_size == 0 {
            if hasFields { note(.contradiction, "\(subject) declares fields of a state, but keeps none") }
            return
        }
        if hasFields { checkFields(strategy, subject) } else { checkSaving(strategy, subject) }
        checkMeasures(strategy, subject)
    }

    private mutating func checkSaving(_ strategy: belfry_strategy, _ subject: String) {
        require(
            [
                ("state_init", strategy.state_init != nil), ("state_destroy", strategy.state_destroy != nil),
                ("state_load", strategy.state_load != nil), ("state_save", strategy.state_save != nil),
            ], of: subject, "a strategy whose state declares no fields needs it")
    }

    private mutating func checkMeasures(_ strategy: belfry_strategy, _ subject: String) {
        let (version, alignment, size) = (strategy.state_version, strategy.state_alignment, strategy.state_size)
        if version >= 1 << 31 {
            note(.incomplete, "the state version of \(subject) is \(version); it must be below 2^31")
        }
        if ![1, 2, 4, 8, 16].contains(alignment) {
            note(
                .incomplete,
                "the state alignment of \(subject) is \(alignment); it must be a power of two, at most 16")
        }
        if size > Self.largestState {
            note(
                .incomplete,
                "the state of \(subject) has \(size) bytes; the host gives at most \(Self.largestState)")
        }
    }

    /// Every subject has one for each counter; what is bigger belongs behind a pointer.
    private static let largestState: UInt64 = 1 << 20

    private mutating func checkOrder(_ strategy: UnsafePointer<belfry_strategy>, _ subject: String) {
        let before = names(strategy.pointee.before, strategy.pointee.before_count, "'before' of \(subject)")
        let after = names(strategy.pointee.after, strategy.pointee.after_count, "'after' of \(subject)")
        _ = text(strategy.pointee.order_reason, "the order reason of \(subject)")
        for name in before where after.contains(name) {
            note(.contradiction, "\(subject) must stand both before and after '\(name)'")
        }
        if let name = strategy.pointee.name.checkedString, before.contains(name) || after.contains(name) {
            note(.contradiction, "\(subject) must stand before or after itself")
        }
    }

    /// A list of names, each of which must be one.
    mutating func names(_ items: UnsafePointer<belfry_text>?, _ count: UInt64, _ subject: String) -> [String] {
        guard canRead(count, isMissing: items == nil, "the number of \(subject)") else { return [] }
        return (0..<Int(count)).compactMap { index in
            items.flatMap { text($0[index], "\(subject), number \(index + 1),", required: true) }
        }
    }

    private mutating func checkFilter(_ filter: UnsafePointer<belfry_filter>, _ index: Int) {
        let number = "filter \(index + 1)"
        let subject =
            text(filter.pointee.name, "the name of \(number)", required: true).map { "filter '\($0)'" }
            ?? number
        _ = text(filter.pointee.summary, "the summary of \(subject)")
        require(
            [
                ("create", filter.pointee.create != nil), ("destroy", filter.pointee.destroy != nil),
                ("apply", filter.pointee.apply != nil),
            ], of: subject, "it is required")
        if let root = filter.pointee.parameters { checkParameters(root, of: subject) }
    }

    private mutating func checkSink(_ sink: UnsafePointer<belfry_sink_type>, _ index: Int) {
        let number = "sink \(index + 1)"
        let subject =
            text(sink.pointee.name, "the name of \(number)", required: true).map { "sink '\($0)'" } ?? number
        _ = text(sink.pointee.summary, "the summary of \(subject)")
        require(
            [
                ("create", sink.pointee.create != nil), ("deliver", sink.pointee.deliver != nil),
                ("destroy", sink.pointee.destroy != nil),
            ], of: subject, "it is required")
        if let root = sink.pointee.parameters { checkParameters(root, of: subject) }
    }

    private mutating func checkAction(_ action: UnsafePointer<belfry_action>, _ index: Int) {
        let number = "action \(index + 1)"
        let subject =
            text(action.pointee.type, "the type of \(number)", required: true).map { "action '\($0)'" }
            ?? number
        _ = text(action.pointee.summary, "the summary of \(subject)")
        require([("function", action.pointee.function != nil)], of: subject, "it is required")
        if let signature = text(action.pointee.signature, "the signature of \(subject)", required: true) {
            checkSignature(signature, of: subject, type: action.pointee.type.checkedString)
        }
    }

    private mutating func checkSignature(_ text: String, of subject: String, type: String?) {
        do throws(ActionSignature.Malformed) {
            let signature = try ActionSignature(parsing: text)
            guard let name = signature.name, let type, name != type else { return }
            note(
                .contradiction, "the signature of \(subject) is for '\(name)'",
                fix: "write '\(type)' in front of its '(', or nothing")
        } catch {
            note(.incomplete, "the signature of \(subject) is \(error.sentence(about: text))", fix: error.fix)
        }
    }

    private mutating func require(
        _ hooks: [(name: String, isThere: Bool)], of subject: String, _ rule: String
    ) {
        for hook in hooks where !hook.isThere {
            note(.incomplete, "\(subject) has no '\(hook.name)'; \(rule)")
        }
    }
}
