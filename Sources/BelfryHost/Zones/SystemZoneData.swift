import BelfryEngine
import Foundation

extension ZoneDirectory {
    /// The zones of this system: the files below `TZDIR` if that is set, else below `/usr/share/zoneinfo`.
    ///
    /// Each file is read once, when its zone is first asked for. What is no readable TZif file gives no
    /// zone, and neither does `localtime`, since the same configuration would then decide differently on
    /// another machine.
    public static func system(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ZoneDirectory {
        let custom = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
        let root = custom ?? "/usr/share/zoneinfo"
        return ZoneDirectory { name in
            name == "localtime" ? nil : zoneFile(atPath: "\(root)/\(name)")
        }
    }

    /// Real files are below 10 kB; whatever is much larger is something else.
    private static let sizeLimit = 1 << 20

    private static func zoneFile(atPath path: String) -> [UInt8]? {
        // Through links, which zone directories are full of; a directory or a pipe is no zone.
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? Int, size <= sizeLimit
        else { return nil }
        return FileManager.default.contents(atPath: path).map(Array.init)
    }
}
