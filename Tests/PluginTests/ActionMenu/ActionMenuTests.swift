import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct ActionMenuTests {
    @Test func `the choice is the buttons of the notification, in their order`() {
        let buttons: Value = [
            ["id": "Accept", "title": "Accept", "action": ["type": "url", "value": "https://shop.example"]],
            ["id": "Reject", "title": "Reject", "destructive": true],
        ]
        #expect(
            ActionTest(ActionMenu.self).perform(
                ["type": "showactions"], payload: ["message": "Hi", "buttons": buttons])
                == .done(["buttons": buttons]))
    }

    @Test(arguments: [[:], ["buttons": []], ["buttons": "none"]] as [Value])
    func `without buttons there is nothing to offer`(payload: Value) {
        #expect(
            ActionTest(ActionMenu.self).perform(["type": "showactions"], payload: payload)
                == .failed("there is nothing to choose from: the notification has no buttons"))
    }
}
