import BelfryPlugin

extension Schedule {
    struct Parameters: ParameterList {
        var periods: [PeriodParameters] = []
        var exceptions: [ExceptionParameters] = []
        var outside = Outside.drop
        var judges = Judged.creation

        static var parameters: [Parameter<Self>] {
            [
                .optional("periods", \.periods, "when it is open: any of these; without periods it is always"),
                .optional(
                    "exceptions", \.exceptions, "what opens it outside all periods, or closes it; closing wins"),
                .optional(
                    "outside", \.outside, "what happens outside: it is refused, or asked about again when it opens"),
                .optional("judges", \.judges, "whether it decides about creations, deletions or both"),
            ]
        }

        func timetable(host: Host) throws(StrategyError) -> Timetable {
            if !periods.isEmpty || !exceptions.isEmpty { try host.require(.localTime, for: "periods") }
            var complaints = Complaints()
            var enabling = periods.enumerated().map { index, period in
                period.period(host, "periods[\(index)]", &complaints)
            }
            var disabling: [Period] = []
            for (index, exception) in exceptions.enumerated() {
                let place = "exceptions[\(index)]"
                if let period = exception.enable {
                    enabling.append(period.period(host, "\(place).enable", &complaints))
                }
                if let period = exception.disable {
                    disabling.append(period.period(host, "\(place).disable", &complaints))
                }
                if exception.enable == nil, exception.disable == nil {
                    complaints.add("\(place) has neither 'enable' nor 'disable'; give one of them, with a period")
                }
            }
            try complaints.raise()
            // One that no day is in stays out of every decision, but it is a period all the same.
            return Timetable(
                enabling: periods.isEmpty ? nil : enabling.filter { !$0.days.isEmpty },
                disabling: disabling.filter { !$0.days.isEmpty })
        }
    }
}

/// An exception as it is written.
struct ExceptionParameters: ParameterList {
    var enable: PeriodParameters?
    var disable: PeriodParameters?

    static var parameters: [Parameter<Self>] {
        [
            .optional("enable", \.enable, "opens it, also outside all periods", replaces: ["disable"]),
            .optional("disable", \.disable, "closes it, whatever opens it", replaces: ["enable"]),
        ]
    }
}
