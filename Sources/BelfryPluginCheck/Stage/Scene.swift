import BelfryModel

/// The hooks of strategies and filters.
enum Hook: String, CaseIterable {
    case shouldCreate = "should_create"
    case didCreate = "did_create"
    case shouldDelete = "should_delete"
    case didDelete = "did_delete"
    case onOpened = "on_opened"
    case onReceipt = "on_receipt"
    case onBackground = "on_background"
    case onForeground = "on_foreground"
    case onStartMonitoring = "on_start_monitoring"
    case updateParameters = "update_parameters"
    case apply

    /// Whether it answers, and changes nothing.
    var isCheck: Bool { [.shouldCreate, .shouldDelete, .apply].contains(self) }
}

/// One call of a hook in the life of a subject.
struct Scene {
    let hook: Hook
    /// Since the scene before.
    var after = Duration.zero
    /// What an outcome hook is told; of a receipt, whether the notification was delivered.
    var outcome = true
    var campaign = "sale"
    var isEntry = false
}

extension Scene {
    /// Some days of a subject, in which every hook has its turn more than once.
    static let days: [Scene] = (0..<3).flatMap { _ in day }

    private static let day: [Scene] = [
        Scene(hook: .shouldCreate), Scene(hook: .apply), Scene(hook: .didCreate),
        Scene(hook: .onReceipt, after: .seconds(1)),
        Scene(hook: .shouldCreate, after: .seconds(5)),
        Scene(hook: .shouldCreate, after: .minutes(10)), Scene(hook: .didCreate, outcome: false),
        Scene(hook: .shouldCreate, after: .minutes(50), campaign: "news"), Scene(hook: .apply, campaign: "news"),
        Scene(hook: .didCreate, campaign: "news"),
        // It may come again.
        Scene(hook: .onReceipt, after: .seconds(1), outcome: false, campaign: "news"),
        Scene(hook: .onReceipt, outcome: false, campaign: "news"),
        Scene(hook: .onOpened, after: .seconds(20), campaign: "news"),
        Scene(hook: .shouldDelete, after: .hours(1)), Scene(hook: .didDelete, outcome: false),
        Scene(hook: .shouldDelete, after: .minutes(1)), Scene(hook: .didDelete),
        Scene(hook: .onBackground, after: .minutes(5)), Scene(hook: .shouldCreate, after: .seconds(30)),
        Scene(hook: .onForeground, after: .minutes(5)), Scene(hook: .shouldCreate, after: .seconds(30)),
        Scene(hook: .onStartMonitoring, after: .minutes(1)),
        Scene(hook: .shouldCreate, after: .hours(2), isEntry: true), Scene(hook: .apply, isEntry: true),
        Scene(hook: .didCreate, isEntry: true),
        Scene(hook: .updateParameters, after: .minutes(1)), Scene(hook: .shouldCreate),
        Scene(hook: .shouldCreate, after: .days(1)),
    ]
}
