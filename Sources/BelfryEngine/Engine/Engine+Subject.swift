import BelfryModel
import CBelfry

extension Engine {
    /// A request for a notification; it needs no trigger for that.
    func answer(
        _ request: Signal.Request, _ wanted: Lent<TriggerPlan>, _ moment: borrowing Moment, into effects: inout Effects
    ) {
        let isPlain = request.isPlain
        if !isPlain, let key = request.key { remember(key: key, of: request.campaign, moment) }
        guard wanted.with({ $0.isPublished }) else { return }
        if isPlain {
            become(wanted, moment, into: &effects)
        } else {
            become(wanted.object, request, moment, into: &effects)
        }
        decide(moment, into: &effects)
    }

    /// Makes the candidate of the scope one that a request says something of.
    @inline(never)
    private func become(
        _ trigger: TriggerPlan, _ request: Signal.Request, _ moment: borrowing Moment, into effects: inout Effects
    ) {
        become(trigger, moment, asked: asked(by: request, into: &effects), into: &effects)
    }

    private func asked(by request: Signal.Request, into effects: inout Effects) -> SubjectRecord.Asked {
        SubjectRecord.Asked(
            title: request.title, message: request.message, data: request.data, eventData: request.data,
            category: category(of: request, into: &effects))
    }

    /// The app came to the front or went to the background. Being told so again is nothing.
    func move(toForeground: Bool, _ moment: borrowing Moment, into effects: inout Effects) {
        switch (moment.record.app, toForeground) {
        case (.foreground, true), (.background, false): return
        default: break
        }
        moment.record.app = toForeground ? .foreground(since: moment.now) : .background(since: moment.now)
        tellAll(toForeground ? .onForeground : .onBackground, moment, into: &effects) {
            toForeground ? $0.pointee.on_foreground : $0.pointee.on_background
        } call: { hook, instance, state, error in
            hook(instance, state, scope.cContext, error)
        }
    }

    /// Tells every enabled strategy that has a hook something that belongs to no candidate: for each counter that has state, and
    /// for the subject's own.
    func tellAll<Function>(
        _ name: Hook, _ moment: borrowing Moment, into effects: inout Effects,
        _ hook: (UnsafePointer<belfry_strategy>) -> Function?,
        call: (Function, UnsafeMutableRawPointer, UnsafeMutableRawPointer?, UnsafePointer<belfry_sink>) -> belfry_told
    ) {
        scope.begin(moment, hasCandidate: false, texts: effects.texts)
        for entry in catalog.chain where entry.entry.enabled {
            guard let table = entry.strategy, let base = entry.base, let hook = hook(table) else { continue }
            for counter in moment.record.counters(of: entry) {
                let key = counter.map { scope.key($0) } ?? scope.subjectKey
                scope.tell(Lent(entry), key, name) { call(hook, base.pointer, $0, $1) }
            }
        }
        scope.endStates()
        reportFaults(moment, into: &effects)
    }

    func recordSession(_ name: String, _ signal: Signal, _ moment: borrowing Moment, into effects: inout Effects) {
        // A late event keeps its own time beside the one it is processed at.
        let attributes =
            signal.time < moment.now ? Fields([("originalTime", .text(signal.time.description))]) : Fields()
        record("application", name, attributes, moment, into: &effects)
    }

    /// The remembered switch. Either way presence starts afresh: the first position inside a region is an entry.
    ///
    /// Enabling who is enabled already, as apps do with every start, forgets nothing.
    func enable(_ isEnabled: Bool, _ moment: borrowing Moment, into effects: inout Effects) {
        let was = catalog.isEnabled(moment.record)
        moment.record.isEnabled = isEnabled
        if !(was && isEnabled) {
            (moment.record.timers, moment.record.position) = ([], nil)
            (moment.record.whereabouts.presence, moment.record.whereabouts.proximity) = ([], [])
        }
        let name = isEnabled ? "uiPushEnabled" : "uiPushDisabled"
        self.record("application", name, Fields(), moment, into: &effects)
    }
}

extension Engine {
    /// Loads what a record has stored of an entry, as questions do, and changes nothing.
    ///
    /// - Parameter index: the entry's place in the chain.
    /// - Returns: why that cannot be used, a part of a sentence; nil if all is well, and where nothing is stored.
    package func refusalOfStates(of index: Int, in record: borrowing SubjectRecord) -> String? {
        guard let states = catalog.chain.first(where: { $0.index == index })?.states?.pointer else { return nil }
        var copy = record.copy()
        return withUnsafeMutablePointer(to: &copy) { pointer in
            let effects = Effects()
            let moment = Moment(
                lent: LentRecord(pointer), now: pointer.pointee.latest, time: pointer.pointee.latest, cause: "trial",
                channel: nil)
            scope.begin(moment, hasCandidate: false, texts: effects.texts)
            defer { scope.endStates() }
            for counter in pointer.pointee.slots.filter({ $0.owner == states.pointee.owner }).map({
                moment.record.counter(of: $0)
            }) {
                do throws(Fault) {
                    let key = counter.map { scope.key($0) } ?? scope.subjectKey
                    _ = try scope.state(states, key, scope.slot(states, key))
                } catch {
                    return error.message
                }
            }
            return nil
        }
    }
}

extension SubjectRecord {
    /// The counters of an entry that hooks about the app are told for: those with state, and the subject's own.
    fileprivate func counters(of entry: EntryPlan) -> [String?] {
        if entry.counter == .subject { return [nil] }
        return slots.filter { $0.owner == entry.owner && $0.counter != nil }.map { counter(of: $0) }
            .sorted { ($0 ?? "") < ($1 ?? "") }
    }
}
