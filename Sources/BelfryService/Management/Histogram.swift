/// How often something was in which range, as Prometheus reads it.
struct Histogram {
    /// What is measured, in which ranges.
    struct Family {
        let name: String
        let help: String
        var labels: [String] = []
        /// The upper bound of each range, ascending; there is one more without a bound.
        let bounds: [Double]
    }

    private let bounds: [Double]
    private var counts: [Int]
    private var sum = 0.0

    init(_ bounds: [Double]) { (self.bounds, counts) = (bounds, Array(repeating: 0, count: bounds.count + 1)) }

    mutating func add(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
        sum += value
    }

    /// - Parameter labels: such as `method="GET"`.
    func text(_ name: String, _ labels: [String]) -> String {
        var (text, total) = ("", 0)
        for (bound, count) in zip(bounds.map { Metrics.number($0) } + ["+Inf"], counts) {
            total += count
            text += "\(name)_bucket{\((labels + ["le=\"\(bound)\""]).joined(separator: ","))} \(total)\n"
        }
        let braces = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
        return text + "\(name)_sum\(braces) \(Metrics.number(sum))\n\(name)_count\(braces) \(total)\n"
    }
}
