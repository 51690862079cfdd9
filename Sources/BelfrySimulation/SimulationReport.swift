import BelfryModel

/// What came of a simulation.
public struct SimulationReport {
    let a: SimulationSide
    let b: SimulationSide
    let timeline: Timeline
    let ledger: SubjectLedger
    let differences: Differences
    /// Nil for what was no file.
    let file: String?
    /// That were not blank.
    let lines: Int
    /// The first time accepted.
    let start: Instant?
    /// The last time accepted.
    let end: Instant?
    let until: Instant?
    let sample: SubjectSample?
    /// Lines of subjects who are not in the sample.
    let skipped: Int
    /// Lines that both sides rejected.
    public let rejects: Int
}
