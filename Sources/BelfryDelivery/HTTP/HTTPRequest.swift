import BelfryEngine
import BelfryModel

/// A POST, as it is sent once.
struct HTTPRequest: Sendable {
    /// http or https.
    var url: String
    var headers: [Configuration.Forward.Header]
    var body: [UInt8]
    /// From looking up the name to the end of the answer.
    var timeout: Duration
    /// Whether nothing is taken until the answer has come to its end; else a status says it.
    var needsWholeAnswer = false
}
