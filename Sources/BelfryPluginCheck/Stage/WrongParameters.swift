import BelfryEngine
import BelfryModel
import CBelfry

/// Gives `create` what it should refuse, around parameters that it accepts.
final class WrongParameters {
    private let chainable: Chainable
    private let schema: ParameterSchema
    private let host: UnsafePointer<belfry_host>
    private let arena = Arena()
    /// The first sin.
    private(set) var finding: CheckFinding?

    init(_ chainable: Chainable, _ host: UnsafePointer<belfry_host>) {
        self.chainable = chainable
        self.host = host
        schema = ParameterSchema(root: chainable.description)
    }

    /// Stands in place of the plugin's `create`: the typed parameters are there only now.
    func create(
        _ host: UnsafePointer<belfry_host>?, _ parameters: UnsafePointer<belfry_value>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> UnsafeMutableRawPointer? {
        Step.begin("create of \(chainable.noun)")
        let (made, sentence) = collectText { chainable.create(host, parameters, $0) }
        if made == nil, sentence.isEmpty {
            reportSilence("parameters")
        }
        if made == nil {
            if let error { sentence.write(to: error) }
        } else if let parameters {
            tryMembers(of: parameters.pointee)
        }
        return made
    }

    /// Each member in turn as something else than its description says.
    private func tryMembers(of parameters: belfry_value) {
        guard parameters.kind == BELFRY_MAP else { return }
        for member in schema.members {
            for wrong in member.wrongValues where finding == nil {
                let others = UnsafeBufferPointer(start: parameters.items, count: Int(parameters.count)).filter {
                    $0.key.string != member.name && !member.replaces.contains($0.key.string ?? "")
                }
                tryMember(member, as: wrong, beside: others)
            }
        }
    }

    private func tryMember(_ member: ParameterSchema, as wrong: Value, beside others: [belfry_value]) {
        arena.reset()
        // One mapping of one item has the item's key with it.
        guard let single = arena.value([member.name: wrong])?.pointee.items?.pointee else { return }
        (others + [single]).withUnsafeBufferPointer { items in
            var map = belfry_value()
            (map.kind, map.items, map.count) = (BELFRY_MAP, items.baseAddress, UInt64(items.count))
            let isNoChoice = member.hasAsNoChoice(wrong)
            expectRefusal(
                &map, "'\(member.name)' as \(isNoChoice ? wrong.json : wrong.described)", "it is \(member.expectation)",
                fix: isNoChoice ? Self.choiceFix : Self.kindFix)
        }
    }

    /// Something else than a mapping, or nothing, where parameters are needed.
    func tryWholes() {
        for whole in [true, 7, 0.5, "text", ["text"], .list([])] as [Value] where finding == nil {
            arena.reset()
            guard let value = arena.value(whole) else { continue }
            // Without a description, or with "any value", there is nothing to hold it to.
            expectRefusal(value, "\(whole.described) for its parameters", schema.isMapping ? "they are a mapping" : nil)
        }
        if schema.isRequired, finding == nil { expectRefusal(nil, "no parameters", "it needs some") }
    }

    private static let kindFix =
        "look at the kind of each value before you use it, and refuse with a sentence: return NULL from create"
    private static let choiceFix =
        "compare the text with the choices, and refuse with a sentence what is none of them: return NULL from create"

    private func expectRefusal(
        _ value: UnsafePointer<belfry_value>?, _ what: String, _ expected: String?, fix: String = kindFix
    ) {
        Step.begin("create of \(chainable.noun) with \(what)")
        let (made, sentence) = collectText { chainable.create(host, value, $0) }
        if let made {
            chainable.destroy(made)
            guard let expected else { return }
            report(
                "\(chainable.noun) accepts wrong parameters: \(what)", why: "its description says that \(expected)",
                fix: fix)
        } else if sentence.isEmpty {
            reportSilence(what)
        }
    }

    private func reportSilence(_ what: String) {
        report(
            "\(chainable.noun) refused \(what) without a word",
            why: "create returned NULL and wrote nothing to its sink",
            fix: "write one sentence to the sink: it is what the configuration's author gets to read")
    }

    private func report(_ what: String, why: String, fix: String) {
        finding = finding ?? CheckFinding(what, why: why, fix: fix)
    }
}

extension Value {
    /// `a boolean (true)`, `text`.
    fileprivate var described: String {
        switch self {
        case .text: "text"
        case .list: "a list"
        case .map: "a mapping"
        default: "\(kindName) (\(json))"
        }
    }
}

extension ParameterSchema {
    fileprivate var isMapping: Bool {
        if case .object = type { !isList } else { false }
    }

    /// Values of every kind that the description does not allow.
    fileprivate var wrongValues: [Value] {
        if isList { return [true, 7, "text", ["key": 1]] + wrongElements.map { .list([$0]) } }
        // Where any value will do, a list will.
        return wrongElements.isEmpty ? [] : [["text"]] + wrongElements
    }

    /// Whether a wrong value is of the right kind, and merely none of the choices.
    fileprivate func hasAsNoChoice(_ wrong: Value) -> Bool {
        guard case .choice = type else { return false }
        return wrong == (isList ? .list([Self.noChoice]) : Self.noChoice)
    }

    private static let noChoice: Value = "no such choice"

    private var wrongElements: [Value] {
        switch type {
        case .boolean: [7, "text", ["key": 1]]
        case .integer: [true, 0.5, "text", ["key": 1]]
        case .number: [true, "text", ["key": 1]]
        case .text: [true, 7, ["key": 1]]
        // Checked text reaches a plugin as a duration; text that does, was not checked.
        case .duration: [true, 7, "text", ["key": 1]]
        case .choice: [true, 7, Self.noChoice, ["key": 1]]
        case .condition, .object: [true, 7, "text"]
        case .any, .none: []
        }
    }
}
