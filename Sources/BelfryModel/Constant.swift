/// A pointer to what is written once, before it is shared, and stays for as long as the pointer is used: any thread may read there.
@usableFromInline
package struct Constant<Pointer>: @unchecked Sendable {
    // Unchecked: nothing is written any more where it leads.
    @usableFromInline package let pointer: Pointer

    @inlinable @inline(__always)
    package init(_ pointer: Pointer) { self.pointer = pointer }
}
