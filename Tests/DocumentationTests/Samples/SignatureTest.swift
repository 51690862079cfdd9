import BelfryTesting
import Testing

@Test func `every message is signed`() throws {
    let test = try FilterTest(Signature.self, parameters: ["line": "Your shop"])
    #expect(try test.request(message: "Half price").message == "Half price\nYour shop")
    #expect(try test.request() == .dropped("there is no message to sign"))
}
