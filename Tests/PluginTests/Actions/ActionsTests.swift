import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct ActionsTests {
    @Test(
        arguments: [
            (["type": "url", "value": "https://shop.example/sale?x=1"], ["opened": "https://shop.example/sale?x=1"]),
            (["type": "url", "value": "shop://sale"], ["opened": "shop://sale"]),
            (["type": "url", "value": "mailto:ana@shop.example"], ["opened": "mailto:ana@shop.example"]),
            (["type": "landingPage", "value": "https://shop.example"], ["opened": "https://shop.example"]),
            (["type": "applink", "value": "shop://sale"], ["opened": "shop://sale"]),
            (["type": "openApp"], ["opened": true]),
            (["type": "openApp", "value": ["screen": "basket"]], ["opened": ["screen": "basket"]]),
            (["type": "dial", "value": "+31 (0)20-123.4567"], ["dialled": "+31 (0)20-123.4567"]),
            (["type": "dial", "value": "tel:112"], ["dialled": "tel:112"]),
            (["type": "dial", "value": 112], ["dialled": "112"]),
        ] as [(Value, Value)])
    func `an action answers what the device is to do`(action: Value, result: Value) {
        #expect(ActionTest(Actions.self).perform(action) == .done(result))
    }

    @Test(
        arguments: [
            (["type": "url"], "the action needs a value that is an address, such as https://shop.example"),
            (["type": "url", "value": 7], "the action needs a value that is an address, such as https://shop.example"),
            (
                ["type": "url", "value": "shop.example"],
                "'shop.example' is no address: it has no scheme, such as https: in front"
            ),
            (["type": "url", "value": "https:"], "'https:' is no address: it has no scheme, such as https: in front"),
            (["type": "applink", "value": "sale"], "'sale' is no address: it has no scheme, such as https: in front"),
            (["type": "url", "value": "1a:b"], "'1a:b' is no address: it has no scheme, such as https: in front"),
            (["type": "dial"], "a dial action needs a value that is a phone number, such as \"+31 20 1234567\""),
            (
                ["type": "dial", "value": "call me"],
                "'call me' is no phone number: it should have digits, with + ( ) . - / * # and spaces only"
            ),
            (
                ["type": "dial", "value": "+"],
                "'+' is no phone number: it should have digits, with + ( ) . - / * # and spaces only"
            ),
        ] as [(Value, String)])
    func `an action without a proper value fails with a sentence`(action: Value, sentence: String) {
        #expect(ActionTest(Actions.self).perform(action) == .failed(sentence))
    }

    @Test func `the built-in types are these`() {
        #expect(ActionTest(Actions.self).types == ["url", "landingPage", "applink", "openApp", "dial"])
    }
}
