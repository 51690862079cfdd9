/// How an entry keeps its states.
///
/// Plain bytes, side by side, so that a decision counts no references. What they lead to is kept by the catalog.
struct StatePlan {
    let layout: Lent<StateLayout>
    let plan: Lent<EntryPlan>
    /// A new state as the plugin sees it.
    let new: UnsafeMutableRawPointer
    /// In the plugin's memory.
    let size: Int
    /// The number of the layout's shape.
    let shape: UInt32
    /// What records call the owner of its states by.
    let owner: UInt32
    /// A hash of the entry's own parameters, by which it is known that they changed.
    let parameters: UInt32
    /// The place of the entry in the chain.
    let entry: UInt16
    let isDeclared: Bool
    /// Whether what is stored is a copy of the plugin's memory.
    let isPlain: Bool

    /// - Parameter plan: has the layout.
    init(_ plan: EntryPlan, _ layout: StateLayout) {
        (self.layout, self.plan) = (Lent(layout), Lent(plan))
        (new, size, shape) = (layout.new, layout.size, layout.number)
        (owner, parameters, entry) = (plan.owner, plan.parametersHash, plan.number)
        (isDeclared, isPlain) = (layout.isDeclared, layout.isPlain)
    }

    /// Whether a state was stored by the plugin as it is, with the parameters that it has.
    @inline(__always)
    func isCurrent(_ slot: SubjectRecord.Slot) -> Bool { slot.shape == shape && slot.parameters == parameters }
}
