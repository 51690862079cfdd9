import BelfryEngine
import BelfryZones
import Foundation

extension ZoneDirectory {
    /// The zones of this system: the files below `TZDIR` if that is set, else below `/usr/share/zoneinfo`.
    public static func system(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ZoneDirectory {
        ZoneDirectory(folder: systemFolder(environment: environment))
    }

    /// The names of all zones of this system, sorted. Reads all of them: for what is close to a name that is wrong.
    package static func systemNames(environment: [String: String]) -> [String] {
        let folder = systemFolder(environment: environment)
        let zones = ZoneDirectory(folder: folder)
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { zones.zone(named: $0) != nil }.sorted()
    }

    static func systemFolder(environment: [String: String]) -> String {
        environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? systemZoneFolder
    }
}
