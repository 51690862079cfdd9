import BelfryPluginHost
import CBelfry

/// The steps of `Negotiation`, one by one, for checks that tell of one of them only.
struct Inspection {
    let negotiation: Negotiation
    let root: UnsafePointer<belfry_plugin>

    init(_ subject: CheckCase) throws {
        negotiation = Negotiation(path: subject.path, HostPointers(subject.services.pointer))
        Step.begin("its constructors")
        let image = try PluginImage(opening: subject.path)
        Step.begin("its entry function")
        root = try negotiation.root(of: image)
    }

    /// Everything wrong with what it offers, once it is set up.
    func offers() throws -> (all: [PluginRefusal.Difference], descriptions: [PluginRefusal.Difference]) {
        Step.begin("init")
        try negotiation.initialize(root)
        Step.begin("get_extension")
        var findings = Findings()
        let plugin = negotiation.offers(of: root, id: "", version: "", &findings)
        var descriptions = Findings()
        for chainable in plugin.chainables {
            if let root = chainable.description { descriptions.checkParameters(root, of: chainable.noun) }
        }
        for sink in plugin.sinks {
            if let root = sink.pointee.parameters { descriptions.checkParameters(root, of: sink.noun) }
        }
        return (findings.differences, descriptions.differences)
    }
}
