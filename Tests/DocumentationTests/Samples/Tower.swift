import BelfryPlugin
import Glibc

/// Rings the bells of a tower.
struct Tower: Sink {
    static let name = "tower"
    static let summary = "Rings the bells of a tower."

    struct Parameters: ParameterList {
        var device = ""
        var strokes = 1
        static var parameters: [Parameter<Self>] {
            [
                .required("device", \.device, "what the bells hang on"),
                .optional("strokes", \.strokes, "how often it strikes", range: .within(1...12)),
            ]
        }
    }

    let parameters: Parameters
    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    mutating func deliver(_ delivery: Delivery) -> Delivered {
        guard let title = delivery.data["title"]?.text else { return .never("there is nothing to ring for") }
        guard let bells = fopen(parameters.device, "a") else { return .failed("the bells do not hang there") }
        for _ in 0..<parameters.strokes { fputs("dong: \(title) for \(delivery.subject)\n", bells) }
        return fclose(bells) == 0 ? .taken : .failed("the bells have come loose")
    }
}
