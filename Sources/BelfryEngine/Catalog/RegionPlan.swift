import BelfryModel
import CBelfry

/// A region with what triggers wait for it.
final class RegionPlan: Sendable {
    let index: Int
    let region: Configuration.Region
    let id: CText
    let name: CText
    /// Field values by folded name, for templates and conditions.
    let fields: [String: String]
    let enter: [TriggerPlan]
    let exit: [TriggerPlan]
    let dwell: [TriggerPlan]
    /// Those that wait for one of the region's beacons to come near or go away.
    let proximity: [TriggerPlan]
    /// Its fields as a plugin sees them.
    let cFields: Constant<UnsafePointer<belfry_value>?>
    /// The member of a decision that names it, after a comma.
    let json: [UInt8]
    private let constants: ConstantMemory

    init(_ region: Configuration.Region, index: Int, triggers: [TriggerPlan], constants: ConstantMemory) {
        self.index = index
        self.region = region
        id = CText(region.id)
        name = CText(region.name)
        fields = Dictionary(
            region.fields.entries.map { ($0.key.lowercased(), $0.value.text ?? "") }, uniquingKeysWith: { $1 })
        enter = triggers.filter { $0.event == .enter }
        exit = triggers.filter { $0.event == .exit }
        dwell = triggers.filter { if case .dwell = $0.event { true } else { false } }
        proximity = triggers.filter { $0.thresholds != nil }
        self.constants = constants
        cFields = constants.value(.map(region.fields))
        json = Array(",\"region\":\(Value.text(region.id).json)".utf8)
    }

    var isGeofence: Bool { center != nil }

    /// Nil for a beacon region.
    var center: Coordinate? {
        if case .geofence(let center, _) = region.kind { center } else { nil }
    }

    /// What fills a placeholder: the region's name, or one of its fields.
    func value(of placeholder: String) -> String? {
        let name = placeholder.lowercased()
        return name == "region" ? region.name : fields[name]
    }
}
