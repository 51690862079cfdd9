import BelfryEngine
import BelfryModel

extension PartReader {
    /// A campaign; `beacons` has the distance classes.
    func campaign(_ beacons: Configuration.Beacons) -> Rule<Configuration.Campaign> {
        .map { map in
            let id = map.required("id", .name)
            var campaign = Configuration.Campaign(id: id ?? "")
            content(map, &campaign)
            map.set(&campaign.tags, "tags", .list(of: .name))
            map.set(&campaign.priority, "priority", .whole)
            map.set(&campaign.groups, "groups", groups)
            map.set(&campaign.triggers, "triggers", triggers(beacons))
            map.set(&campaign.category, "category", names.categories.reference)
            map.set(&campaign.onOpen, "onOpen", action)
            map.set(&campaign.onFire, "onFire", action)
            map.set(&campaign.with, "with", with)
            map.set(&campaign.deleteOn, "deleteOn", .choice)
            campaign.document = document(campaign, map.node)
            return id == nil ? nil : campaign
        }
    }

    /// What is shown.
    private func content(_ map: MapReader, _ campaign: inout Configuration.Campaign) {
        map.set(&campaign.kind, "kind", .choice)
        map.set(&campaign.published, "published", .bool)
        map.set(&campaign.title, "title", names.template(isComplete: isComplete))
        map.set(&campaign.message, "message", names.template(isComplete: isComplete))
        map.set(&campaign.data, "data", .any)
        map.set(&campaign.presentation, "presentation", .any)
        map.set(&campaign.handler, "handler", .choice)
    }

    /// `campaign` in conditions: as written, and the defaults that people test for (`campaign.kind: notification`).
    private func document(_ campaign: Configuration.Campaign, _ node: ConfigurationNode) -> Fields {
        var document = node.value.map ?? Fields()
        let defaults: [(String, Value)] = [
            ("kind", .text(campaign.kind.rawValue)), ("published", .bool(campaign.published)),
            ("priority", .integer(campaign.priority)), ("deleteOn", .text(campaign.deleteOn.rawValue)),
        ]
        for (key, value) in defaults where document[key] == nil { document[key] = value }
        return document
    }

    /// The chain asks once per group; one given twice would count twice.
    private var groups: Rule<[String]> {
        Rule("a list of groups") { node, reports in
            let groups = Rule.list(of: names.groups.reference).read(node, reports)
            uniqueMentions(node.items ?? [], of: "group", reports)
            return groups
        }
    }

    // MARK: Categories and actions

    var category: Rule<Configuration.Category> {
        .map { map in
            let id = map.required("id", .name)
            let buttons = map.required("buttons", .list(of: button))
            unique(map.node["buttons"]?.items ?? [], "button", map.reports) { $0["id"] }
            guard let id, let buttons else { return nil }
            return Configuration.Category(id: id, buttons: buttons)
        }
    }

    private var button: Rule<Configuration.Button> {
        .map { map in
            let id = map.required("id", .name)
            let title = map.required("title", .text)
            var button = Configuration.Button(id: id ?? "", title: title ?? "")
            map.set(&button.destructive, "destructive", .bool)
            map.set(&button.authenticationRequired, "authenticationRequired", .bool)
            map.set(&button.foreground, "foreground", .bool)
            map.set(&button.action, "action", action)
            return id == nil || title == nil ? nil : button
        }
    }

    /// Something to run: its type, and whatever else its provider understands.
    private var action: Rule<Configuration.Action> {
        .map { map in
            map.acceptOthers()
            guard let type = map.required("type", .name) else { return nil }
            return Configuration.Action(type: type, members: map.node.value.map ?? Fields())
        }
    }
}
