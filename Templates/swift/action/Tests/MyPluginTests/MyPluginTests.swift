import BelfryTesting
import Testing

@testable import MyPlugin

@Suite struct MyPluginTests {
    @Test func `the device is told what to show`() {
        let test = ActionTest(MyPlugin.self)
        #expect(
            test.perform(["type": "my-plugin", "code": "SPRING", "percent": 20])
                == .done(["coupon": "SPRING", "percent": 20]))
        #expect(test.perform(["type": "my-plugin", "code": "SPRING"]) == .done(["coupon": "SPRING", "percent": 10]))
    }

    @Test func `more than everything cannot be taken off`() {
        #expect(
            ActionTest(MyPlugin.self).perform(["type": "my-plugin", "code": "SPRING", "percent": 101])
                == .failed("'percent' should be from 1 to 100"))
    }

    /// What is shipped is the file.
    @Test func `the plugin that was built shows it too`() throws {
        let test = ActionTest(tables: try BuiltPlugin("libMyPlugin.so").actions)
        #expect(
            test.perform(["type": "my-plugin", "code": "SPRING", "percent": 20])
                == .done(["coupon": "SPRING", "percent": 20]))
    }
}
