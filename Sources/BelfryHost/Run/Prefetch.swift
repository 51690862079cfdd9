import BelfryEngine
import CLinux

/// Has the processor fetch so much of what lies there, while it goes on.
func prefetch(_ address: UnsafeRawPointer?, bytes: Int = 128) {
    guard let address else { return }
    for offset in stride(from: 0, to: bytes, by: 64) { belfry_prefetch(address + offset) }
}

extension SubjectRecord {
    /// Has the processor fetch what a decision will look at besides the record itself, which is at hand.
    func prefetchParts() {
        let (user, states, ids) = parts
        prefetch(user)
        prefetch(states)
        prefetch(ids)
    }
}
