/// Which ids and names are taken, and by which file. One for each host.
package struct PluginRoster {

    package init() {}
    private var ids: [String: String] = [:]
    private var names: [String: String] = [:]
    /// Types of sinks, which share no names with the others.
    private var sinks: [String: String] = [:]

    func checkID(_ id: String, path: String) throws(PluginRefusal) {
        if let other = ids[id] { throw Self.taken("its id '\(id)'", path: path, by: other) }
    }

    /// Takes the id and the names, or none of them.
    mutating func enter(_ plugin: LoadedPlugin) throws(PluginRefusal) {
        try enter(
            id: plugin.id, names: plugin.chainNames, sinks: plugin.sinks.compactMap { $0.pointee.name.checkedString },
            path: plugin.path)
    }

    mutating func enter(
        id: String, names new: [String], sinks types: [String], path: String
    ) throws(PluginRefusal) {
        try checkID(id, path: path)
        for name in new {
            if let other = names[name] { throw Self.taken("the name '\(name)'", path: path, by: other) }
        }
        for type in types {
            if let other = sinks[type] { throw Self.taken("the sink '\(type)'", path: path, by: other) }
        }
        ids[id] = path
        for name in new { names[name] = path }
        for type in types { sinks[type] = path }
    }

    private static func taken(_ what: String, path: String, by other: String) -> PluginRefusal {
        PluginRefusal(
            path: path, .duplicate, why: "\(what) is in two files: '\(other)', which is used, and '\(path)'",
            fix: "remove one of the two files")
    }
}
