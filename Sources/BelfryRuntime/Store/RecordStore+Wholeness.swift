import BelfryStore

extension RecordStore {
    /// Checks that no import and no promotion of a shadow was left unfinished: until it is finished, the store is neither what it was nor
    /// what it is to be.
    ///
    /// - Parameters:
    ///   - reads: whether the store is only to be read, for the words of the refusal.
    ///   - promotes: whether a promotion may be under way, since it is to go on.
    /// - Throws: `RecordTransferFailure` or `ShadowRefusal` if there is one; `StoreError`.
    func checkThatItIsWhole(reads: Bool = false, promotes: Bool = false) throws {
        if !promotes, try hasMark(ShadowPromotion.isUnderway) { throw ShadowRefusal.unfinished }
        guard try hasMark(RecordTransfer.isUnderway) else { return }
        throw reads ? RecordTransferFailure.unreadable : RecordTransferFailure.unfinished
    }

    private func hasMark(_ name: String) throws(StoreError) -> Bool { try meta(name)?.isEmpty == false }
}
