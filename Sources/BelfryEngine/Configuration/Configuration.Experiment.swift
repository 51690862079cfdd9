import BelfryModel

extension Configuration {
    /// Gives shares of the subjects parameters of their own, always the same subjects (docs/experiments.md).
    public struct Experiment: Sendable {
        public var id: String
        /// A text of its own: another one draws other subjects.
        public var seed: String
        /// How much of its part each variant has: a larger share moves no subject to another one.
        public var share = 1.0
        /// Nil: every subject takes part.
        public var condition: Condition?
        public var namespace: Namespace?
        /// At least one.
        public var variants: [Variant]

        public init(id: String, seed: String, variants: [Variant]) {
            (self.id, self.seed, self.variants) = (id, seed, variants)
        }
    }

    /// One of the ways in which things are done for those who take part: a level of the cascade.
    public struct Variant: Sendable {
        public var name: String
        /// In proportion to those of the others.
        public var weight = 1.0
        public var with: With = [:]

        public init(name: String) { self.name = name }
    }

    /// A line on which experiments that exclude each other have parts.
    public struct Namespace: Sendable, Hashable {
        public var id: String
        /// Half-open, in 0…1.
        public var start: Double
        public var end: Double

        public init(id: String, start: Double, end: Double) { (self.id, self.start, self.end) = (id, start, end) }
    }
}

extension Configuration.Experiment {
    /// GrowthBook's ranges: the first `share` of the part of each variant.
    var ranges: [(start: Double, end: Double)] {
        GrowthBookHash.ranges(weights: variants.map(\.weight), coverage: share)
    }
}
