import BelfryPlugin
import Glibc

/// Writes a line for each notification into a file.
struct MyPlugin: Sink {
    static let name = "my-plugin"
    static let summary = "Writes a line for each notification into a file."

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    struct Parameters: ParameterList {
        var file = ""

        static var parameters: [Parameter<Self>] {
            [.required("file", \.file, "what is written to")]
        }
    }

    let parameters: Parameters

    /// What may be out of reach is left to `deliver`.
    init(_ parameters: Parameters, host: Host) { self.parameters = parameters }

    /// A decision that was taken once may come again after a crash, with the same id.
    mutating func deliver(_ delivery: Delivery) -> Delivered {
        guard let title = delivery.data["title"]?.text else { return .never("it has no title") }
        guard let file = fopen(parameters.file, "a") else { return .failed("the file cannot be opened") }
        fputs("\(delivery.subject): \(title)\n", file)
        return fclose(file) == 0 ? .taken : .failed("the file cannot be written")
    }
}
