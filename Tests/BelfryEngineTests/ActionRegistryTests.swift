import BelfryEngine
import Testing

/// Who provides an action type (docs/plugins.md).
@Suite struct ActionRegistryTests {
    private func registry(_ registrations: (plugin: String, type: String)...) -> ActionRegistry<Int> {
        var registry = ActionRegistry<Int>()
        for (number, (plugin, type)) in registrations.enumerated() { registry.register(number, for: type, by: plugin) }
        return registry
    }

    @Test func `the last registration of a type wins`() {
        let registry = registry(("actions", "url"), ("actions", "dial"), ("web-action", "url"), ("kiosk", "url"))
        #expect(registry["url"]?.plugin == "kiosk")
        #expect(registry["url"]?.handler == 3)
        #expect(registry["dial"]?.plugin == "actions")
        #expect(registry["open"] == nil)
        #expect(registry.types == ["url", "dial"])
        #expect(registry.overridden(of: "url") == ["web-action", "actions"])
        #expect(registry.overridden(of: "dial") == [])
        #expect(registry.overrides == ["url: kiosk instead of web-action"])
    }
}
