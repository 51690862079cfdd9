import BelfryEngine
import BelfryModel

extension PartReader {
    /// A geofence or a beacon region; `beacons` has the default uuid.
    func region(_ beacons: Configuration.Beacons) -> Rule<Configuration.Region> {
        .map { map in
            let id = map.required("id", .name)
            let name = map.optional("name", .text)
            // One whose place is wrong is there all the same: what refers to it is not wrong as well.
            let kind = self.kind(map, beacons) ?? .geofence(center: Coordinate(latitude: 0, longitude: 0), radius: 200)
            let fields = map.optional("fields", fieldValues)
            let with = map.optional("with", self.with)
            guard let id else { return nil }
            var region = Configuration.Region(id: id, kind: kind)
            region.name = name ?? id
            region.fields = fields ?? Fields()
            region.with = with ?? [:]
            return region
        }
    }

    private enum RegionKind: String, CaseIterable {
        case geofence, beacon
    }

    private func kind(_ map: MapReader, _ beacons: Configuration.Beacons) -> Configuration.Region.Kind? {
        switch map.required("kind", Rule<RegionKind>.choice) {
        case .geofence: return geofence(map)
        case .beacon: return beacon(map, beacons)
        case nil:
            map.acceptOthers()
            return nil
        }
    }

    private func geofence(_ map: MapReader) -> Configuration.Region.Kind? {
        let latitude = map.required("latitude", .number(-90...90))
        let longitude = map.required("longitude", .number(-180...180))
        let radius = map.optional("radius", .meters) ?? 200
        guard let latitude, let longitude else { return nil }
        return .geofence(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
    }

    private func beacon(_ map: MapReader, _ beacons: Configuration.Beacons) -> Configuration.Region.Kind? {
        let own = map.optional("uuid", .name)
        let major = map.required("major", .whole(0...65535))
        let minor = map.optional("minor", .whole(0...65535))
        if map.node["uuid"] == nil, beacons.uuid == nil {
            map.reports.add(
                at: map.node.place, below: ["uuid"],
                found: "no key 'uuid', and no 'beacons.uuid' to stand in for it",
                expected: "the UUID of the beacons", fix: "add 'uuid: …' here, or once for all in 'beacons'")
        }
        guard let uuid = own ?? beacons.uuid, let major else { return nil }
        return .beacon(uuid: uuid, major: major, minor: minor)
    }

    /// Values of declared fields, under the names as declared.
    private var fieldValues: Rule<Fields> {
        Rule("a mapping from declared fields to text") { node, reports in
            guard let members = node.members else {
                return node.isNull ? nil : reports.refuse(node, expected: "a mapping from declared fields to text")
            }
            var fields = Fields()
            for member in members {
                guard let name = declared(member, reports) else { continue }
                if fields[name] != nil {
                    reports.add(
                        at: member.node.place, found: "a second value for the field '\(name)'",
                        expected: "each field once; case does not count", fix: "remove one of them")
                }
                fields[name] = Rule.textOrNumber.read(member.node, reports).map(Value.text)
            }
            return fields
        }
    }

    private func declared(_ member: ConfigurationNode.Member, _ reports: ConfigurationReports) -> String? {
        if let name = names.fields[member.key.lowercased()] { return name }
        guard isComplete else { return nil }
        reports.add(
            at: member.node.place, found: "the undeclared field '\(member.key)'",
            expected: names.fieldNames.isEmpty
                ? "a field declared in 'fields'" : "one of \(names.fieldNames.joined(separator: ", "))",
            fix: nearestMatch(to: member.key, among: names.fieldNames).map { "did you mean '\($0)'?" }
                ?? "declare it: add '\(member.key)' to 'fields'")
        return nil
    }
}
