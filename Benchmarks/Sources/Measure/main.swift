import BelfryEngine
import BelfryModel
import BelfryPluginHost
import BelfryZones
import CCount
import Foundation
import Workloads

// What single things cost, for `make bench` and `make bench-check`.
//
//     Measure list                  the workloads
//     Measure time NAME             nanoseconds an operation
//     Measure count [NAME…]         allocations an operation; instructions too, where callgrind runs this
switch CommandLine.arguments.dropFirst().first {
case "list": for workload in Workload.all { print(workload.name) }
case "time": try Measurement.time(Array(CommandLine.arguments.dropFirst(2)))
case "count": try Measurement.count(Array(CommandLine.arguments.dropFirst(2)))
case "plugins":
    // What the host runs to look at a plugin: `plugins scan-one FILE`.
    let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
    exit(PluginScanner.scanInThisProcess(path: CommandLine.arguments[3], host: services.pointer))
default:
    FileHandle.standardError.write(Data("Measure list | time NAME | count [NAME...]\n".utf8))
    exit(2)
}
