import BelfryModel
import BelfryStore

/// How far time has come in a store: the largest time of all signals that were accepted. Nil before the first.
///
/// - Throws: `RunPositionFailure` or `StoreError`.
public func watermark(of store: any RecordStore) throws -> Instant? {
    let position = try RunPosition(from: store)
    return position.watermark == .distantPast ? nil : position.watermark
}
