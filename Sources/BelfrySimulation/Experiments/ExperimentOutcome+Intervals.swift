/// A chart of differences: for each a line over its 95 % confidence interval, and a mark at the difference itself.
extension ExperimentOutcome {
    private typealias Interval = (name: String, value: Double, margin: Double)

    /// Empty where nothing can be said of any variant.
    func intervals(title: String, _ estimate: KeyPath<VariantOutcome, Estimate>) -> String {
        let base = variants[0][keyPath: estimate]
        let intervals: [Interval] = variants.dropFirst().compactMap { variant in
            variant[keyPath: estimate].difference(from: base).map { (variant.name, $0.value, $0.margin) }
        }
        guard !intervals.isEmpty else { return "" }
        let scale = Scale(reach: intervals.map { $0.value.magnitude + $0.margin }.max() ?? 0)
        let height = 34 * intervals.count + 26
        let rows = intervals.enumerated().map { Self.row($1, at: 34 * $0 + 20, scale) }.joined()
        return """
            <h2>\(title)</h2>
            <p class="about">The difference to ‘\(variants[0].name.escapedForHTML)’, with its 95 % interval. One that touches the line in the middle may be chance.</p>
            <div class="chart"><svg viewBox="0 0 \(Scale.width) \(height)" role="img" aria-label="\(Self.words(intervals).escapedForHTML)">
            <line class="axis" x1="\(scale.x(0))" x2="\(scale.x(0))" y1="0" y2="\(height - 22)"/>
            \(rows)\(scale.ticks(at: height - 6))
            </svg></div>
            """
    }

    private static func row(_ interval: Interval, at y: Int, _ scale: Scale) -> String {
        let (from, to) = (scale.x(interval.value - interval.margin), scale.x(interval.value + interval.margin))
        return """
            <text class="name" x="0" y="\(y + 4)">\(interval.name.escapedForHTML)</text>
            <line class="line-b" x1="\(from)" x2="\(to)" y1="\(y)" y2="\(y)"/>
            <rect class="more-b" x="\(scale.x(interval.value) - 4)" y="\(y - 7)" width="8" height="14"/>

            """
    }

    private static func words(_ intervals: [Interval]) -> String {
        intervals.map { "\($0.name): \($0.value.rounded(3)) ± \($0.margin.rounded(3))" }.joined(separator: "; ")
    }
}

/// Where a difference lies in a chart with zero in the middle.
private struct Scale {
    static let width = 720
    /// What names take at the left.
    private static let names = 180
    private let reach: Double

    init(reach: Double) { self.reach = reach > 0 ? reach : 1 }

    func x(_ difference: Double) -> Int {
        let half = Double(Self.width - Self.names - 40) / 2
        return Self.names + 20 + Int((half * (1 + difference / reach)).rounded())
    }

    func ticks(at y: Int) -> String {
        [-reach, 0, reach].map { value in
            "<text x=\"\(x(value))\" y=\"\(y)\" text-anchor=\"middle\">\(value > 0 ? "+" : "")\(value.rounded(2))</text>"
        }.joined()
    }
}
