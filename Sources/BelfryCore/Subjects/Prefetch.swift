import CLinux

/// Has the processor fetch so much of what lies there, while it goes on.
func prefetch(_ address: UnsafeRawPointer, bytes: Int) {
    for offset in stride(from: 0, to: bytes, by: 64) { belfry_prefetch(address + offset) }
}
