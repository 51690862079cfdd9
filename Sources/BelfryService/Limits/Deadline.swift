import NIOCore

/// Something that is done at a time that most requests put off.
///
/// A task of the event loop is scheduled only when there is none yet: when its time comes, it looks whether there is more to wait.
final class Deadline {
    private var due: NIODeadline?
    private var body: (() -> Void)?
    private var task: (scheduled: Scheduled<Void>, at: NIODeadline)?

    var isSet: Bool { due != nil }

    /// Takes the place of what was set before.
    func set(in time: TimeAmount, _ context: ChannelHandlerContext, _ body: @escaping () -> Void) {
        let due = context.eventLoop.now + time
        (self.due, self.body) = (due, body)
        if let task, task.at <= due { return }
        schedule(due, context)
    }

    /// Nothing is due any more.
    func clear() { (due, body) = (nil, nil) }

    /// The same, and it will not be set again.
    func end() {
        clear()
        task?.scheduled.cancel()
        task = nil
    }

    private func schedule(_ due: NIODeadline, _ context: ChannelHandlerContext) {
        task?.scheduled.cancel()
        let scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) { self.ring(context) }
        task = (scheduled, due)
    }

    private func ring(_ context: ChannelHandlerContext) {
        task = nil
        guard let due, let body else { return }
        if due > context.eventLoop.now { return schedule(due, context) }
        clear()
        body()
    }
}
