import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CBelfry

/// Has one type of sinks deliver a decision, as the process of a sink does.
struct SinkTrial {
    let sink: UnsafePointer<belfry_sink_type>
    let subject: CheckCase

    /// What is wrong; nil: nothing.
    func finding() throws(Casting.NoInstance) -> CheckFinding? {
        let instance = try instance()
        let (delivered, why) = deliver(to: instance)
        Step.begin("destroy of \(sink.noun)", seconds: 1)
        sink.pointee.destroy(instance)
        if delivered > BELFRY_DELIVERY_STOPPED {
            return CheckFinding(
                "'deliver' of \(sink.noun) answered \(delivered)", why: "that is none of the answers there are",
                fix: "answer with BELFRY_DELIVERED or another of belfry/delivery.h")
        }
        guard delivered != BELFRY_DELIVERED, why.isEmpty else { return nil }
        return CheckFinding(
            "'deliver' of \(sink.noun) does not say why it did not take a decision",
            why: "an operator sees nothing but that sentence", fix: "write one sentence to 'why'")
    }

    private func instance() throws(Casting.NoInstance) -> UnsafeMutableRawPointer {
        let schema = ParameterSchema(root: sink.pointee.parameters)
        let given = subject.options.parameters
        let all = given.map { [$0.value] } ?? ParameterSamples(schema).sets
        // A host does not begin without what is required.
        let samples = all.filter { schema.missing(in: $0 ?? .map([:]), at: []).isEmpty }
        var refusal = ""
        for parameters in samples {
            Step.begin("create of \(sink.noun)", seconds: Self.patience)
            let arena = Arena()
            let value = parameters.map { arena.parameters($0, schema) }
            let (instance, error) = collectText {
                sink.pointee.create(sink.pointee.type, subject.services.pointer, value, $0)
            }
            if let instance { return instance }
            refusal = error
        }
        throw Casting.NoInstance(noun: sink.noun, count: samples.count, refusal: refusal)
    }

    /// In s: it may look for a server that is not there.
    private static let patience: UInt32 = 30

    private func deliver(to instance: UnsafeMutableRawPointer) -> (belfry_delivered, String) {
        Step.begin("deliver of \(sink.noun)", seconds: Self.patience)
        let arena = Arena()
        var delivery = arena.delivery(
            Self.decision, line: Array(Self.decision.json.utf8), now: Instant(milliseconds: 1_772_442_000_000),
            timeout: .seconds(Int64(Self.patience)))
        return collectText { sink.pointee.deliver(instance, &delivery, $0) }
    }

    private static let decision: Value = [
        "specversion": "1.0", "id": "check:1", "source": "check", "type": "notification.created", "subject": "check",
        "time": "2026-03-02T09:00:00Z", "cause": "check-1",
        "data": [
            "notification": "sale/1", "campaign": "sale", "trigger": "request", "title": "Sale",
            "message": "Half price, \"today\" only – as long as there is some",
        ],
    ]
}

extension UnsafePointer<belfry_sink_type> {
    /// As a sentence calls it.
    var noun: String { "sink '\(pointee.name.string ?? "")'" }
}
