import BelfryCore
import BelfryModel

/// The journal says once for many entries what has decided them.
extension Provenance {
    /// The name of that value.
    static let journalKey = "provenance"

    var journalBytes: [UInt8] { Array(value.json.utf8) }
}
