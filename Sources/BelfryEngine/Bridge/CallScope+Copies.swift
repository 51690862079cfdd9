import CBelfry

extension CallScope {
    /// Lends a copy of the candidate and of the context, texts and all: whatever is written there by force goes nowhere.
    ///
    /// - Returns: also the names of the members that were written to, as the contract calls them.
    func withCopies<Result>(
        _ body: (UnsafePointer<belfry_candidate>, UnsafePointer<belfry_context>) -> Result
    ) -> (Result, writtenTo: [String]) {
        let (candidate, context) = (candidateCopy(), contextCopy())
        var (lentCandidate, lentContext) = (candidate, context)
        let result = body(&lentCandidate, &lentContext)
        let truth = cCandidate(counter: subjectKey).pointee
        return (
            result,
            lentCandidate.differences(from: candidate, of: truth)
                + lentContext.differences(from: context, of: cContext.pointee)
        )
    }

    private func candidateCopy() -> belfry_candidate {
        var copy = belfry_candidate()
        candidate.write(to: &copy, in: arena)
        copy.campaign = arena.text(copying: copy.campaign)
        copy.trigger = arena.text(copying: copy.trigger)
        copy.event = arena.text(copying: copy.event)
        copy.region = arena.text(copying: copy.region)
        copy.region_name = arena.text(copying: copy.region_name)
        return copy
    }

    private func contextCopy() -> belfry_context {
        var copy = cContext.pointee
        copy.subject = arena.text(copying: copy.subject)
        copy.channel = arena.text(copying: copy.channel)
        return copy
    }
}

extension belfry_candidate {
    /// The members that are not what they were in the `copy` of the true one. Of data, presentation and fields only the
    /// pointers are compared: what they lead to was made for this copy alone.
    fileprivate func differences(from copy: belfry_candidate, of truth: belfry_candidate) -> [String] {
        changed([
            ("kind", kind == copy.kind), ("deferred", deferred == copy.deferred),
            ("priority", priority == copy.priority),
            ("campaign", campaign.isStill(copy.campaign, of: truth.campaign)),
            ("trigger", trigger.isStill(copy.trigger, of: truth.trigger)),
            ("event", event.isStill(copy.event, of: truth.event)),
            ("region", region.isStill(copy.region, of: truth.region)),
            ("region_name", region_name.isStill(copy.region_name, of: truth.region_name)),
            ("notification", notification.isStill(copy.notification, of: truth.notification)),
            ("counter", counter.isStill(copy.counter, of: truth.counter)),
            ("title", title.isStill(copy.title, of: truth.title)),
            ("message", message.isStill(copy.message, of: truth.message)),
            ("handler", handler.isStill(copy.handler, of: truth.handler)),
            ("category", category.isStill(copy.category, of: truth.category)),
            ("data", data == copy.data), ("presentation", presentation == copy.presentation),
            ("region_fields", region_fields == copy.region_fields),
        ])
    }
}

extension belfry_context {
    fileprivate func differences(from copy: belfry_context, of truth: belfry_context) -> [String] {
        changed([
            ("now", now == copy.now), ("subject", subject.isStill(copy.subject, of: truth.subject)),
            ("channel", channel.isStill(copy.channel, of: truth.channel)), ("app", app == copy.app),
            ("app_since", app_since == copy.app_since), ("owner", owner == copy.owner),
        ])
    }
}

private func changed(_ members: [(name: String, isUnchanged: Bool)]) -> [String] {
    members.filter { !$0.isUnchanged }.map(\.name)
}

extension belfry_text {
    /// Whether this is the copy that was made of `original`, in its place and with its bytes.
    fileprivate func isStill(_ copy: belfry_text, of original: belfry_text) -> Bool {
        // What points elsewhere is not looked at: it may point anywhere.
        guard bytes == copy.bytes, length == copy.length else { return false }
        return utf8.elementsEqual(original.utf8)
    }
}
