import BelfryModel
import CBelfry

extension Arena {
    /// What a sink is lent of a decision.
    package func delivery(_ decision: Value, line: [UInt8], now: Instant, timeout: Duration) -> belfry_delivery {
        var delivery = belfry_delivery()
        delivery.id = text(decision.map?["id"]?.text)
        delivery.subject = text(decision.map?["subject"]?.text)
        delivery.type = text(decision.map?["type"]?.text)
        delivery.line = text(String(decoding: line, as: UTF8.self))
        delivery.decision = value(decision)
        (delivery.now, delivery.timeout) = (now.milliseconds, timeout.milliseconds)
        return delivery
    }
}
