import BelfryCore
import BelfryEngine
import BelfryModel
import CBelfry

/// An instance of a strategy or filter, and genuine circumstances to call it in.
///
/// It is the real engine with a chain of one entry, behind whose name and parameters stands the plugin. Parameters are checked and
/// typed as in a run; candidate and context are those that the engine lends for one question. What is asked then, and how often,
/// is the caller's.
final class Stage {
    typealias Body = (UnsafePointer<belfry_candidate>, UnsafePointer<belfry_context>) -> Void

    let chainable: Chainable
    let services: HostServices
    private let parameters: Value?
    /// Is told of the typed parameters, while they are lent to `create`, in its place; returns the instance.
    typealias Creation = (
        _ host: UnsafePointer<belfry_host>?, _ parameters: UnsafePointer<belfry_value>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> UnsafeMutableRawPointer?

    private let creation: Creation
    private var subjects: SubjectSet?
    /// How the state lies in memory; nil if it keeps none.
    let layout: StateLayout?
    private var introduced: Set<String> = []
    private var body: Body?
    fileprivate(set) var made: UnsafeMutableRawPointer?
    private let isGuest: Bool

    /// - Parameters:
    ///   - creation: nil: the plugin's own `create`.
    ///   - isGuest: whether another stage has the instance, and destroys it.
    /// - Throws: what is wrong with the parameters, in the words of the host or of the plugin.
    init(
        _ chainable: Chainable, _ parameters: Value?, services: HostServices, isGuest: Bool = false,
        creation: Creation? = nil
    ) throws(ConfigurationProblems) {
        self.chainable = chainable
        self.services = services
        self.parameters = parameters
        self.isGuest = isGuest
        self.creation = creation ?? chainable.create
        layout = chainable.strategy.flatMap(StateLayout.init)
        var providers = Providers()
        providers.add(probe(), plugin: "check")
        let configuration = Configuration(staging: chainable.name, parameters)
        subjects = SubjectSet(Engine(try Catalog(configuration, providers: providers, services: services)))
    }

    /// A stage of its own for the same instance, for another thread.
    func understudy() throws(ConfigurationProblems) -> Stage {
        let instance = made
        return try Stage(chainable, parameters, services: services, isGuest: true) { _, _, _ in instance }
    }

    /// Nil if the plugin needs parameters and got none: then it would not be asked.
    var instance: UnsafeMutableRawPointer? { made }

    /// Lets something happen to a subject, and calls `body` when the engine asks about it.
    func call(_ moment: Moment, _ body: @escaping Body) {
        self.body = body
        decide(moment.signal, of: moment)
        self.body = nil
    }

    /// The app comes to the front or goes to the background, or the subject leaves the region.
    func turn(_ event: Signal.Event, _ type: String, _ moment: Moment) {
        let signal = Signal(
            subject: moment.subject, channel: Moment.channel, time: moment.time, type: type, event: event)
        decide(signal, of: moment)
    }

    private func decide(_ signal: Signal, of moment: Moment) {
        let isNew = introduced.insert(moment.subject).inserted
        for signal in (isNew ? moment.introduction : []) + [signal] {
            // Every name in them is one of the configuration.
            _ = try? subjects?.decide(signal)
        }
    }
}

// MARK: The entry of the chain

extension Stage {
    /// A strategy with the name and parameters of the plugin's, that lends what it gets to `body` and denies everything.
    private func probe() -> UnsafePointer<belfry_strategy> {
        // A table is valid until the process ends, and this process ends soon. Only the engine of this stage calls it.
        let table = UnsafeMutablePointer<belfry_strategy>.allocate(capacity: 1)
        table.initialize(to: belfry_strategy())
        switch chainable {
        case .strategy(let own, _): table.pointee.name = own.pointee.name
        case .filter(let own): table.pointee.name = own.pointee.name
        }
        table.pointee.parameters = chainable.description
        table.pointee.type = Unmanaged.passUnretained(self).toOpaque()
        table.pointee.create = { type, host, parameters, error in
            let stage = Stage.of(type)
            guard let made = stage.creation(host, parameters, error) else { return nil }
            stage.made = made
            let instance = UnsafeMutablePointer<StagedInstance>.allocate(capacity: 1)
            instance.initialize(
                to: StagedInstance(chainable: stage.chainable, made: made, stage: type, isGuest: stage.isGuest))
            return UnsafeMutableRawPointer(instance)
        }
        table.pointee.destroy = { instance in
            let staged = StagedInstance.at(instance)
            if !staged.pointee.isGuest { staged.pointee.chainable.destroy(staged.pointee.made) }
            staged.deinitialize(count: 1)
            staged.deallocate()
        }
        table.pointee.should_create = { instance, _, candidate, context, _ in
            guard let candidate, let context else { return BELFRY_FAULT }
            Stage.of(StagedInstance.at(instance).pointee.stage).body?(candidate, context)
            return BELFRY_DENY
        }
        return UnsafePointer(table)
    }

    fileprivate static func of(_ type: UnsafeMutableRawPointer?) -> Stage {
        Unmanaged.fromOpaque(type!).takeUnretainedValue()  // the table's own `type`
    }
}

/// An instance of the plugin's, and where it is on.
private struct StagedInstance {
    let chainable: Chainable
    let made: UnsafeMutableRawPointer
    let stage: UnsafeMutableRawPointer?
    let isGuest: Bool

    static func at(_ address: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<StagedInstance> {
        address!.assumingMemoryBound(to: StagedInstance.self)  // an instance is never null
    }
}

extension Configuration {
    /// A chain of one entry; two campaigns and a region with everything that a candidate can have.
    fileprivate init(staging name: String, _ parameters: Value?) {
        self.init(app: "check")
        var entry = Entry(strategy: name)
        entry.parameters = parameters
        chain = [entry]
        fields = ["shopName"]
        groups = [Group(id: "promo")]
        var region = Region(id: "store", kind: .geofence(center: Coordinate(latitude: 0, longitude: 0), radius: 200))
        region.name = "Store 14"
        region.fields = ["shopName": "Canal Street"]
        regions = [region]
        campaigns = ["sale", "news"].map(Campaign.init(staged:))
    }
}

extension Configuration.Campaign {
    fileprivate init(staged id: String) {
        self.init(id: id)
        title = "The \(id)"
        message = "Welcome at the \(id)"
        data = ["article": 14, "tags": ["new", "red"]]
        presentation = ["image": "sale.png"]
        document = ["id": .text(id), "kind": .text(kind.rawValue), "title": .text(id)]
        groups = ["promo"]
        // None for requests: what is asked for has no trigger then.
        triggers = [Configuration.Trigger(id: "enter", on: .enter)]
    }
}
