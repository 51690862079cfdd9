import BelfryEngine
import BelfryModel

extension PartReader {
    /// The keys that stand alone: everything but the lists.
    func settings(_ map: MapReader, _ configuration: inout Configuration) {
        map.set(&configuration.timeZone, "timeZone", timeZone)
        map.set(&configuration.enableOnFirstRun, "enableOnFirstRun", .bool)
        map.set(&configuration.store, "store", store)
        map.set(
            &configuration.pluginDirectories, "plugins",
            Rule("a mapping") { node, reports in
                MapReader.read(node, reports) { $0.required("directories", .list(of: .name)) }
            })
        map.set(&configuration.trust, "trust", trust)
        map.set(&configuration.actions, "actions", actions)
        map.set(&configuration.forward, "forward", forward)
        map.set(&configuration.currentLimit, "current", limit)
        map.set(&configuration.batch, "batch", batch)
        map.set(&configuration.journal, "journal", journal)
        map.set(&configuration.isolation, "isolation", .choice)
        map.set(&configuration.limits, "limits", limits)
        map.set(&configuration.sandbox, "sandbox", sandbox)
        map.set(&configuration.service, "serve", service)
        map.set(&configuration.duplicates, "duplicates", .map { $0.required("remember", remember) })
        map.set(&configuration.clockAhead, "clock", .map { $0.required("ahead", .duration) })
        map.set(&configuration.historyLimit, "history", limit)
        map.set(&configuration.regionLimit, "regionLimit", .whole(5...20))
        map.set(&configuration.accuracyLimit, "accuracyLimit", .meters)
    }

    /// What is wrong in it leaves nothing of it: what is left would ask for less than the operator did.
    private var trust: Rule<Configuration.Trust> {
        .map { map in
            var trust = Configuration.Trust()
            map.set(&trust.mode, "mode", trustMode)
            map.set(&trust.signers, "signers", .name)
            let isWhole = (map.node["mode"] == nil) == (trust.mode == nil)
            return isWhole && (map.node["signers"] == nil) == (trust.signers == nil) ? trust : nil
        }
    }

    private var trustMode: Rule<Configuration.Trust.Mode> {
        Rule("one of enforce, warn, off") { node, reports in
            node.value == false ? .off : Rule<Configuration.Trust.Mode>.choice.read(node, reports)
        }
    }

    private var actions: Rule<Configuration.Actions> {
        .map { map in
            var actions = Configuration.Actions()
            map.set(&actions.timeout, "timeout", .duration(.milliseconds(1) ... .hours(1)))
            return actions
        }
    }

    private var limit: Rule<Int> {
        .map { $0.required("limit", .whole(from: 1)) }
    }

    private var journal: Rule<Configuration.Journal> {
        .map { map in
            var journal = Configuration.Journal()
            map.set(&journal.checkpoint, "checkpoint", .duration(.milliseconds(1)...(.hours(1))))
            if let keep = map.optional("keep", keep) { (journal.keep, journal.atMost) = (keep.duration, keep.atMost) }
            return journal
        }
    }

    private var sandbox: Rule<Bool> {
        Rule("on or off") { value in
            switch value {
            case .text("on"), true: true
            case .text("off"), false: false
            default: nil
            }
        }
    }

    private var limits: Rule<Configuration.Limits> {
        .map { map in
            var limits = Configuration.Limits()
            map.set(&limits.call, "call", .duration(.milliseconds(1)...(.hours(1))))
            map.set(&limits.memory, "memory", .size)
            return limits
        }
    }

    private var batch: Rule<Configuration.Batch> {
        .map { map in
            var batch = Configuration.Batch()
            map.set(&batch.signals, "signals", .whole(1...1_000_000))
            map.set(&batch.every, "every", .duration(.milliseconds(1)...(.minutes(1))))
            return batch
        }
    }

    private var remember: Rule<DuplicateMemory> {
        Rule("a duration with a unit, such as 30d, or forever") { value in
            value.text == "forever"
                ? DuplicateMemory(nil) : value.text.flatMap(Duration.init(text:)).map(DuplicateMemory.init)
        }
    }

    private var timeZone: Rule<String> {
        Rule<String>.name.then { name, node, reports in
            if zoneExists(name) { return name }
            return reports.refuse(
                node, found: "the unknown time zone '\(name)'",
                expected: "an IANA time zone, such as Europe/Amsterdam or UTC",
                fix: nearestMatch(to: name, among: zoneNames()).map { "did you mean '\($0)'?" }
                    ?? "name an area and a city; 'timedatectl list-timezones' lists them")
        }
    }

    /// `memory`, `memory:`, or a kind of store and its place.
    private var store: Rule<String> {
        let kinds = ["sqlite:", "postgres:", "postgresql:"]
        return Rule(
            "memory, sqlite:PATH or postgres:URL",
            fix: { value in kinds.first { $0 == value.text }.map { "name a place after '\($0)'" } }
        ) { value in
            switch value.text {
            case "memory", "memory:": "memory:"
            case let url? where kinds.contains { url.hasPrefix($0) && url != $0 }: url
            default: nil
            }
        }
    }

    /// The custom region fields: unique in any case, and not `region`, which is a placeholder of its own.
    var fields: Rule<[String]> {
        Rule("a list") { node, reports in
            guard let names = Rule.list(of: fieldName).read(node, reports) else { return nil }
            var seen: Set<String> = []
            for item in node.items ?? [] {
                guard let name = item.value.text, !seen.insert(name.lowercased()).inserted else { continue }
                reports.add(
                    at: item.place, found: "a second field '\(name)'",
                    expected: "each field once; case does not count",
                    fix: "remove one of them")
            }
            return names
        }
    }

    private var fieldName: Rule<String> {
        Rule<String>.name.then { name, node, reports in
            guard name.lowercased() != "region" else {
                return reports.refuse(
                    node, found: "a region field named '\(name)'", expected: "another name",
                    fix: "rename it: {region} is the name of the region")
            }
            guard !name.contains(where: { "{}".contains($0) }) else {
                return reports.refuse(
                    node, found: "braces in the field name '\(name)'",
                    expected: "a name without braces")
            }
            return name
        }
    }

    var beacons: Rule<Configuration.Beacons> {
        .map { map in
            var beacons = Configuration.Beacons()
            map.set(&beacons.uuid, "uuid", .name)
            map.set(&beacons.exitDelay, "exitDelay", .duration)
            map.set(&beacons.distances, "distances", distances)
            return beacons
        }
    }

    /// Distance classes, in file order. They replace the default ones.
    private var distances: Rule<[(name: String, meters: Double)]> {
        Rule("a mapping of distance classes to metres") { node, reports in
            guard let members = node.members, !members.isEmpty else {
                return reports.refuse(node, expected: "a mapping of distance classes to metres")
            }
            return members.compactMap { member in
                Rule.meters.read(member.node, reports).map { (name: member.key, meters: $0) }
            }
        }
    }
}
