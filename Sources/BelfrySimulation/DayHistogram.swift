import BelfryModel

/// On how many days a subject got how many notifications.
struct DayHistogram {
    /// By number of notifications; the last place collects what is beyond.
    private var days = [Int](repeating: 0, count: 101)
    private var notifications = 0
    private var most = 0

    mutating func add(_ count: Int) {
        days[min(count, days.count - 1)] += 1
        notifications += count
        most = max(most, count)
    }

    var total: Int { days.reduce(0, +) }
    /// Days on which there was a candidate and nothing was created.
    var without: Int { days[0] }
    private var with: Int { total - without }
    /// Of the days with any.
    var mean: Double? { with == 0 ? nil : Double(notifications) / Double(with) }
    var largest: Int? { with == 0 ? nil : most }

    /// Of the days with any.
    func percentile(_ share: Double) -> Int? {
        guard with > 0 else { return nil }
        var rest = max(1, Int((Double(with) * share).rounded(.up)))
        for count in 1..<days.count {
            rest -= days[count]
            if rest <= 0 { return count }
        }
        return most
    }

    var value: Value {
        func integer(_ number: Int) -> Value { .integer(Int64(number)) }
        var fields: Fields = [
            "days": integer(total), "without": integer(without),
            "share": .number(total == 0 ? 0 : Double(without) / Double(total)),
        ]
        fields["histogram"] = .list(
            days.enumerated().dropFirst().filter { $1 > 0 }.map { ["count": integer($0), "days": integer($1)] })
        fields["mean"] = mean.map { .number($0) }
        for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
            fields[name] = percentile(share).map(integer)
        }
        fields["max"] = largest.map(integer)
        return .map(fields)
    }
}
