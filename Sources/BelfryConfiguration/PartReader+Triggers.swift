import BelfryEngine
import BelfryModel

extension PartReader {
    /// The triggers of one campaign. One without an id has its position, from 1.
    func triggers(_ beacons: Configuration.Beacons) -> Rule<[Configuration.Trigger]> {
        Rule<[ConfigurationNode]>.items.then { items, _, reports in
            var triggers: [Configuration.Trigger] = []
            var first: [String: Place] = [:]
            for (index, item) in items.enumerated() {
                guard let trigger = MapReader.read(item, reports, { trigger($0, "\(index + 1)", beacons) }) else {
                    reports.leaveOut(item)
                    continue
                }
                if let earlier = first[trigger.id] {
                    reports.add(
                        at: (item["id"] ?? item).place,
                        found: "a second trigger '\(trigger.id)' in one campaign",
                        expected: "an id of its own; the first is in \(earlier.file.path):\(earlier.line)",
                        fix: "give one of them another id; without one it is the position, from 1")
                }
                first[trigger.id] = first[trigger.id] ?? item.place
                triggers.append(trigger)
            }
            return triggers
        }
    }

    private func trigger(_ map: MapReader, _ position: String, _ beacons: Configuration.Beacons)
        -> Configuration.Trigger?
    {
        let id = map.optional("id", .triggerID) ?? position
        let on = map.optional("on", .name) ?? "enter"
        let event: Configuration.Event?
        var regions = Configuration.RegionSet.all
        switch on {
        case "near", "away":
            map.set(&regions, "regions", beaconRegions)
            event = proximity(on, map, beacons)
        case "dwell":
            map.set(&regions, "regions", self.regions)
            event = map.required("dwell", .duration(.minutes(5)...(.hours(12)))).map { .dwell($0) }
        case "enter", "exit":
            map.set(&regions, "regions", self.regions)
            event = on == "enter" ? .enter : .exit
        default:
            refuseRegions(map, on)
            refuseClock(map, on)
            event = on == "request" ? .request : .signal(on)
        }
        refuseForeign(map, on)
        let with = map.optional("with", self.with)
        guard let event else { return nil }
        var trigger = Configuration.Trigger(id: id, on: event, regions: regions)
        trigger.with = with ?? [:]
        return trigger
    }

    /// The keys of other events.
    private func refuseForeign(_ map: MapReader, _ on: String) {
        let owners = [("dwell", ["dwell"]), ("in", ["near", "away"]), ("out", ["near", "away"])]
        for (key, events) in owners where !events.contains(on) {
            let others = { events.joined(separator: "' or 'on: ") }
            map.refuse(
                key, found: "the key '\(key)' in a trigger 'on: \(on)'",
                expected: "'\(key)' only with 'on: \(others())'",
                fix: "remove it, or write 'on: \(others())'")
        }
    }

    private func refuseRegions(_ map: MapReader, _ on: String) {
        let events = ["enter", "exit", "dwell", "near", "away"]
        map.refuse(
            "regions", found: "regions for a trigger 'on: \(on)'",
            expected: on == "request"
                ? "no regions: a requested notification has none" : "no regions: a signal '\(on)' has none",
            fix: nearestMatch(to: on, among: events).map { "did you mean 'on: \($0)'?" }
                ?? "remove 'regions'; they go with \(events.joined(separator: ", "))")
    }

    /// A trigger makes a candidate for the subject of a signal, and a tick has none: it would never fire.
    private func refuseClock(_ map: MapReader, _ on: String) {
        guard on == "clock.advanced" else { return }
        map.refuse(
            "on", found: "a trigger 'on: clock.advanced', which never fires: that signal has no subject",
            expected: "a signal that happens to a subject",
            fix: "name another type: only 'clock.advanced' has no subject")
    }

    // MARK: Regions

    /// `all` or a list of region ids.
    private var regions: Rule<Configuration.RegionSet> {
        let expected = "'all' or a list of region ids"
        return Rule(expected) { node, reports in
            if case .text("all") = node.value { return .all }
            guard let items = node.items, !items.isEmpty else {
                return reports.refuse(
                    node, expected: expected,
                    fix: node.value.text.map { "write it as [\($0)]" })
            }
            uniqueMentions(items, of: "region", reports)
            return .some(items.compactMap { names.regions.reference.read($0, reports) })
        }
    }

    /// The same, of beacons only: a geofence knows no proximity.
    private var beaconRegions: Rule<Configuration.RegionSet> {
        regions.then { regions, node, reports in
            for item in node.items ?? [] {
                guard let id = item.value.text, names.regions.contains(id), !names.beacons.contains(id) else {
                    continue
                }
                reports.add(
                    at: item.place, found: "the geofence '\(id)'",
                    expected: "a beacon region: only beacons have a distance",
                    fix: "use 'on: enter' and 'on: exit' with geofences")
            }
            return regions
        }
    }

    // MARK: Proximity

    private func proximity(_ on: String, _ map: MapReader, _ beacons: Configuration.Beacons) -> Configuration
        .Event?
    {
        let inside = map.required("in", distance(beacons))
        let out = map.optional("out", distance(beacons))
        guard let inside else { return nil }
        let outside = out ?? inside
        if outside < inside, let node = map.node["out"] {
            map.reports.add(
                at: node.place, found: "\(outside) m, less than 'in' with \(inside) m",
                expected: "a distance that is not smaller than 'in'", fix: "swap them, or remove 'out'")
        }
        return on == "near"
            ? .near(inside: inside, outside: outside) : .away(inside: inside, outside: outside)
    }

    /// A distance class or metres.
    private func distance(_ beacons: Configuration.Beacons) -> Rule<Double> {
        let classes = beacons.distances.map(\.name)
        return Rule(
            "a distance class (\(classes.joined(separator: ", "))) or metres larger than 0",
            fix: { value in
                value.text.flatMap { nearestMatch(to: $0, among: classes) }.map { "did you mean '\($0)'?" }
            }
        ) { value in
            if let meters = value.number { return meters > 0 ? meters : nil }
            return value.text.flatMap { text in beacons.distances.first { $0.name == text }?.meters }
        }
    }
}
