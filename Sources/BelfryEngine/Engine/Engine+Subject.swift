import BelfryModel
import CBelfry

extension Engine {
    /// Somebody asks for a notification; it needs no trigger for that.
    func answerRequest(of signal: Signal, _ moment: Moment, into effects: inout Effects) {
        // Nearly every request; what is absent would be copied, too.
        if let head = plainRequest(of: signal) {
            guard head.pointee.isPublished else { return }
            return blank(head, moment)._withUnsafeGuaranteedRef { decide($0, moment, into: &effects) }
        }
        if case .requested(let request) = signal.event { answer(request, moment, into: &effects) }
    }

    private func answer(_ request: Signal.Request, _ moment: Moment, into effects: inout Effects) {
        guard let trigger = self.request(of: request.campaign) else { return }
        if let key = request.key { moment.record.requestKeys.insert(fingerprint(request.campaign, key)) }
        trigger._withUnsafeGuaranteedRef { trigger in
            guard trigger.isPublished else { return }
            let asked = request.isPlain ? nil : asked(by: request, into: &effects)
            decide(candidate(trigger, moment, asked: asked, into: &effects), moment, into: &effects)
        }
    }

    private func asked(by request: Signal.Request, into effects: inout Effects) -> SubjectRecord.Asked {
        SubjectRecord.Asked(
            title: request.title, message: request.message, data: request.data, eventData: request.data,
            category: category(of: request, into: &effects))
    }

    /// The app came to the front or went to the background. Being told so again is nothing.
    func move(toForeground: Bool, _ moment: Moment) {
        switch (moment.record.app, toForeground) {
        case (.foreground, true), (.background, false): return
        default: break
        }
        moment.record.app = toForeground ? .foreground(since: moment.now) : .background(since: moment.now)
        tellAll(moment) {
            toForeground ? $0.pointee.on_foreground : $0.pointee.on_background
        } call: { hook, instance, state in
            hook(instance, state, scope.cContext)
        }
    }

    /// Tells every enabled strategy that has a hook something that belongs to no candidate: for each counter that has state, and
    /// for the subject's own.
    func tellAll<Hook>(
        _ moment: Moment, _ hook: (UnsafePointer<belfry_strategy>) -> Hook?,
        call: (Hook, UnsafeMutableRawPointer, UnsafeMutableRawPointer?) -> Void
    ) {
        scope.begin(moment.record, at: moment.now, channel: moment.lentChannel)
        for entry in catalog.chain where entry.entry.enabled {
            guard let table = entry.strategy, let base = entry.base, let hook = hook(table) else { continue }
            for counter in moment.record.counters(of: entry) {
                let key = counter.map { scope.key($0) } ?? scope.subjectKey
                moment.record.withState(of: entry, table, counter: key, scope) { call(hook, base.pointer, $0) }
            }
        }
    }

    func recordSession(_ name: String, _ signal: Signal, _ moment: Moment, into effects: inout Effects) {
        // A late event keeps its own time beside the one it is processed at.
        let attributes =
            signal.time < moment.now ? Fields([("originalTime", .text(signal.time.description))]) : Fields()
        record("application", name, attributes, moment, into: &effects)
    }

    /// The remembered switch. Either way presence starts afresh: the first position inside a region is an entry.
    ///
    /// Enabling who is enabled already, as apps do with every start, forgets nothing.
    func enable(_ isEnabled: Bool, _ moment: Moment, into effects: inout Effects) {
        let record = moment.record
        let was = catalog.isEnabled(record)
        record.isEnabled = isEnabled
        if !(was && isEnabled) {
            (record.timers, record.presence, record.proximity, record.position) = ([], [], [], nil)
        }
        let name = isEnabled ? "uiPushEnabled" : "uiPushDisabled"
        self.record("application", name, Fields(), moment, into: &effects)
    }

    func setAttributes(_ scope: Signal.Scope, _ values: Fields, _ moment: Moment) {
        change(scope, moment) { $0 = values.entries.contains { $0.value.isNull } ? values.withoutNulls : values }
    }

    func updateAttributes(_ scope: Signal.Scope, _ values: Fields, _ moment: Moment) {
        change(scope, moment) { $0.merge(values) }
    }

    func deleteAttributes(_ scope: Signal.Scope, _ keys: [String], _ moment: Moment) {
        change(scope, moment) { attributes in
            for key in keys { attributes[key] = nil }
        }
    }

    private func change(_ scope: Signal.Scope, _ moment: Moment, _ change: (inout Fields) -> Void) {
        switch (scope, moment.channel) {
        case (.user, _): change(&moment.record.user)
        case (.channel, let channel?): moment.record.updateChannel(channel) { change(&$0.attributes) }
        case (.channel, nil): break  // refused when it was decoded
        }
    }

    /// The automatic channel attributes: merged by key, null clears; out of reach of set and deleted.
    func register(_ attributes: Fields, _ moment: Moment) {
        guard let channel = moment.channel else { return }
        moment.record.updateChannel(channel) { $0.automatic.merge(attributes) }
        moment.record.lastChannel = channel
    }
}

extension Fields {
    fileprivate var withoutNulls: Fields { Fields(entries.filter { !$0.value.isNull }.map { ($0.key, $0.value) }) }

    /// Takes over what `other` says, key by key; null removes.
    fileprivate mutating func merge(_ other: Fields) {
        for entry in other.entries { self[entry.key] = entry.value.isNull ? Value?.none : entry.value }
    }
}

extension SubjectRecord {
    /// The counters of an entry that hooks about the app are told for: those with state, and the subject's own.
    ///
    /// A state that has nothing to save counts as none, since it would not survive a restart.
    fileprivate func counters(of entry: EntryPlan) -> [String?] {
        if entry.counter == .subject { return [nil] }
        return slots.filter {
            $0.entry == entry.entry.id && $0.strategy == entry.entry.strategy && $0.counter != nil
                && !$0.saved.values.isEmpty
        }.map(\.counter)
    }
}
