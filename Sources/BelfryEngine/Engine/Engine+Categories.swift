import BelfryModel

extension Engine {
    /// The category that a request brings along: beside its texts, else inside its data. What is odd about it is warned of.
    func category(of request: Signal.Request, into effects: inout Effects) -> Signal.Category? {
        guard let category = request.category ?? carried(by: request, into: &effects) else { return nil }
        let place = "the request of campaign '\(request.campaign)'"
        switch (catalog.buttons[SubjectKey(category.id)], category.buttons) {
        case (.some, .some):
            effects.warnings.append(
                "\(place) brings buttons for the category '\(category.id)', which is configured: the configured buttons are shown"
            )
        case (nil, nil):
            let nearest = nearestMatch(to: category.id, among: catalog.buttons.keys.sorted().map(\.text))
            effects.warnings.append(
                "\(place) names the category '\(category.id)', which is not configured: it has no buttons"
                    + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
        case (nil, let buttons?): warn(of: buttons, at: place, into: &effects)
        case (.some, nil): break
        }
        return category
    }

    /// Before a user taps.
    private func warn(of buttons: [Value], at place: String, into effects: inout Effects) {
        for button in buttons.lazy.compactMap(\.map) {
            let place = "\(place), button '\(button["id"]?.text ?? "")'"
            effects.warnings += catalog.doubts(about: button["action"]?.map, at: place)
        }
    }

    /// Data is free in form: what looks like a category and is none stays data, and is warned about.
    private func carried(by request: Signal.Request, into effects: inout Effects) -> Signal.Category? {
        do throws(Signal.Category.Malformation) {
            return try Signal.Category(inside: request.data)
        } catch {
            effects.warnings.append(
                "the request of campaign '\(request.campaign)' shows no buttons of its data: "
                    + error.sentence(below: "data.data"))
            return nil
        }
    }

    /// What a filter set, else the buttons of the category: the configured ones, else those that the request brought along. None
    /// where the channel shows none.
    func buttons(of candidate: Candidate, _ record: borrowing SubjectRecord) -> Value? {
        guard record.channel(for: candidate.channel)?.showsButtons ?? true else { return nil }
        if let buttons = candidate.content.buttons { return buttons }
        guard let category = candidate.content.category else { return nil }
        let carried = candidate.asked?.category.flatMap { $0.id.isSameText(as: category) ? $0.buttons : nil }
        let buttons = catalog.buttons[SubjectKey(category)] ?? carried ?? []
        return buttons.isEmpty ? nil : .list(buttons)
    }

    /// The button that was tapped, of those the notification was created with. Where it had none, or that is not known any more,
    /// an app that has the configured category built in (IBM MCE: static categories) may have shown those.
    func button(_ id: String, of content: Decision.Content) -> Fields? {
        let buttons = content.buttons?.list ?? content.category.flatMap { catalog.buttons[SubjectKey($0)] } ?? []
        return buttons.lazy.compactMap(\.map).first { $0["id"]?.text?.isSameText(as: id) == true }
    }
}

extension SubjectRecord.Channel {
    var showsButtons: Bool { (automatic["supportsButtons"] ?? attributes["supportsButtons"])?.bool ?? true }
}

extension Configuration.Button {
    /// As in `buttons` of a decision; flags that are false are left out.
    var value: Value {
        var fields = Fields([("id", .text(id)), ("title", .text(title))])
        if destructive { fields["destructive"] = true }
        if authenticationRequired { fields["authenticationRequired"] = true }
        if foreground { fields["foreground"] = true }
        fields["action"] = action.map { .map($0.members) }
        return .map(fields)
    }
}
