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

    static func systemFolder(environment: [String: String]) -> String {
        environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? systemZoneFolder
    }
}
