import BelfryConfiguration
import BelfryEngine
import BelfryModel
import CCrypto
import Foundation
import Synchronization
import Testing

@testable import BelfryDelivery

/// Encryption and signatures as the standards have them, and a push service on this machine.
@Suite struct WebPushTests {
    // MARK: The standards' own samples

    /// RFC 8291, section 5 and appendix A.
    @Test func `a message is encrypted as in RFC 8291, byte for byte`() throws {
        let key = try Self.key("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
        #expect(
            key.point.base64URL
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        let subscription = try PushSubscription(Self.subscription(at: "https://push.example.net/push/1"))
        #expect(key.agree(with: subscription.key)?.base64URL == "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs")
        let body = PushMessage.encrypt(
            Array("When I grow up, I want to be a watermelon".utf8), for: subscription, key: key,
            salt: try Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            body?.base64URL
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        )
    }

    /// RFC 8188, section 3.1.
    @Test func `content is encoded as in RFC 8188, byte for byte`() throws {
        let content = ContentEncoding.encode(
            Array("I am the walrus".utf8), secret: try Self.bytes("yqdlZ-tYemfogSmv7Ws5PQ"),
            salt: try Self.bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
        #expect(
            content?.base64URL == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test func `what is encrypted twice is not the same, and can be read both times`() throws {
        let subscription = try PushSubscription(Self.subscription(at: "https://push.example.net/1"))
        let text = Array(repeating: UInt8(ascii: "x"), count: PushMessage.limit)
        let messages = (0..<2).compactMap { _ in PushMessage.encrypt(text, for: subscription) }
        #expect(messages.count == 2 && messages[0] != messages[1])
        for message in messages {
            #expect(message.count == 4096)
            #expect(try Self.read(message) == text)
        }
    }

    @Test func `a token says who sends, is signed, and is used again until shortly before its end`() throws {
        let vapid = try #require(Vapid(key: Self.vapidKey, subject: "mailto:shop@example.org"))
        let now = Instant(milliseconds: 1_800_000_000_000)
        let first = vapid.authorization(for: "https://push.example.net", at: now)
        let parts = try #require(first.wholeMatch(of: /vapid t=([^.]+)\.([^.]+)\.([^.]+), k=(.+)/)?.output)
        #expect(try Self.text(parts.1) == #"{"typ":"JWT","alg":"ES256"}"#)
        #expect(
            try Self.text(parts.2)
                == #"{"aud":"https://push.example.net","exp":1800043200,"sub":"mailto:shop@example.org"}"#)
        #expect(try Self.isSigned("\(parts.1).\(parts.2)", parts.3, by: parts.4))
        #expect(try !Self.isSigned("\(parts.1).\(parts.1)", parts.3, by: parts.4))
        #expect(vapid.authorization(for: "https://push.example.net", at: now + .hours(10)) == first)
        #expect(vapid.authorization(for: "https://other.example.net", at: now) != first)
        #expect(vapid.authorization(for: "https://push.example.net", at: now + .hours(11)) != first)
    }

    @Test(arguments: [
        ("", 0), ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 32),
        ("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE", 32), ("no key", 0), ("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct", 24),
    ])
    func `a key is a number on the curve`(_ text: String, _ count: Int) {
        #expect([UInt8](base64URL: text)?.count ?? 0 == count)
        #expect(VapidKey(text) == nil)
    }

    // MARK: Subscriptions

    @Test(arguments: [
        ("{}", "its subscription has no endpoint, which is an https address"),
        (#"{"endpoint":"nowhere"}"#, "its subscription has no endpoint, which is an https address"),
        (#"{"endpoint":"https://a.example/1"}"#, "its subscription has no key on P-256 in keys.p256dh"),
        (
            #"{"endpoint":"https://a.example/1","keys":{"p256dh":"\#(notOnTheCurve)","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#,
            "its subscription has no key on P-256 in keys.p256dh"
        ),
        (
            #"{"endpoint":"https://a.example/1","keys":{"p256dh":"\#(receiver)","auth":"short"}}"#,
            "its subscription has no 16 bytes in keys.auth"
        ),
        ("none", "there is no subscription in the decision"),
    ])
    func `a subscription that is none is said to be`(_ text: String, _ why: String) {
        #expect(throws: PushSubscription.Fault(why)) { try PushSubscription(.text(text)) }
    }

    @Test(arguments: [
        ("https://Push.Example.net/a?b", "https://push.example.net"), ("https://a.example:443/x", "https://a.example"),
        ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443"),
    ])
    func `an origin is scheme, host and port`(_ endpoint: String, _ origin: String) throws {
        #expect(try PushSubscription(Self.subscription(at: endpoint)).origin == origin)
    }

    // MARK: A push service

    @Test func `a browser gets what a notification shows, encrypted, and the service how to handle it`() throws {
        let service = try EventServer(then: .status(201))
        let target = try Self.target { $0.topic = "{data.campaign}" }
        let (outcome, _) = Self.deliver(to: target, Self.decision(to: service.url))
        #expect(outcome == .taken)
        let post = try #require(service.posts.first)
        #expect(
            post.headers["ttl"] == "86400" && post.headers["urgency"] == "normal" && post.headers["topic"] == "sale")
        #expect(post.headers["content-encoding"] == "aes128gcm")
        #expect(post.headers["content-type"] == "application/octet-stream")
        let authorization = try #require(
            post.headers["authorization"]?.wholeMatch(of: /vapid t=(.+)\.(.+)\.(.+), k=(.+)/)?.output)
        #expect(try Self.text(authorization.2).contains(#""aud":"http://127.0.0.1:\#(service.port)""#))
        #expect(
            try Self.isSigned(
                "\(authorization.1).\(authorization.2)", authorization.3, by: authorization.4))
        let text = String(decoding: try Self.read(post.bytes), as: UTF8.self)
        #expect(
            text
                == #"{"id":"ana:1","type":"notification.created","subject":"ana","notification":"sale/1","#
                + #""campaign":"sale","title":"Sale","message":"Half price","buttons":[{"id":"yes","title":"Yes"}],"#
                + #""data":{"url":"https://shop.example"}}"#)
    }

    @Test func `a body of its own, and a topic that push services do not know goes by its digest`() throws {
        let service = try EventServer()
        let target = try Self.target {
            ($0.body, $0.topic, $0.urgency, $0.ttl) = (["t": "{data.title}!"], "{subject} {data.title}", .high, .zero)
        }
        #expect(Self.deliver(to: target, Self.decision(to: service.url)).0 == .taken)
        let headers = try #require(service.posts.first?.headers)
        #expect(headers["topic"] == "Un7aUsuBHWoTK0Ewjnw7qfk1mL7O4Pvf")
        #expect(headers["urgency"] == "high" && headers["ttl"] == "0")
        let text = try Self.read(try #require(service.posts.first).bytes)
        #expect(text == Array(#"{"t":"Sale!"}"#.utf8))
    }

    @Test(arguments: [404, 410])
    func `a subscription that is gone is told of once, and gets nothing any more`(status: Int) throws {
        let (service, other) = (try EventServer(then: .status(status)), try EventServer())
        let target = try Self.target()
        let (outcome, signals) = Self.deliver(to: target, Self.decision(to: service.url))
        #expect(outcome == .dropped("http://127.0.0.1:\(service.port) says that the subscription is no more"))
        #expect(
            signals == [
                #"{"specversion":"1.0","id":"ana:1/browser/channel.invalidated","source":"/sinks/browser","#
                    + #""type":"channel.invalidated","subject":"ana","data":{"sink":"browser","endpoint":"\#(service.url)"}}"#
            ])
        let (again, none) = Self.deliver(to: target, Self.decision(to: service.url))
        #expect(
            again
                == .dropped(
                    "does not get it: http://127.0.0.1:\(service.port) has said that its subscription is no more"))
        #expect(none.isEmpty && service.posts.count == 1)
        #expect(Self.deliver(to: target, Self.decision(to: other.url)).0 == .taken)
    }

    @Test(arguments: [
        (429, ["Retry-After: 70"], SinkOutcome.refused("answers 429 Too Many Requests", pause: .seconds(70))),
        (503, [], .refused("answers 503 Service Unavailable")), (413, [], .dropped("says that it is too long")),
        (400, [], .refused("answers 400 Bad Request")), (403, [], .refused("answers 403 Forbidden")),
    ])
    func `other answers`(status: Int, headers: [String], outcome: SinkOutcome) throws {
        let service = try EventServer(then: .status(status, headers: headers))
        let origin = "http://127.0.0.1:\(service.port) "
        let (found, _) = Self.deliver(to: try Self.target(), Self.decision(to: service.url))
        #expect(found == outcome.with(origin))
    }

    @Test func `an address of a host that may not be used hides nothing of another that may`() throws {
        // It is ::1, too, which is not allowed; nothing listens at the one that is.
        let (outcome, _) = Self.deliver(to: try Self.target(), Self.decision(to: "http://localhost:9/x"))
        guard case .refused(let why, _) = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(why.hasPrefix("http://localhost:9 cannot be reached: "), "\(why)")
    }

    @Test func `what cannot be sent is given up, and says why`() throws {
        let long = String(repeating: "x", count: 4000)
        let cases: [(Fields, String)] = [
            (Self.decision(to: "http://192.168.1.1/x"), "192.168.1.1 is at 192.168.1.1, which is no address of the"),
            (Self.decision(to: "http://127.0.0.1:9/x", title: long), "it has 4213 bytes, and 3993 is the most; give"),
            (
                ["type": "notification.created", "data": [:]],
                "does not get it: there is no subscription in the decision"
            ),
        ]
        for (decision, why) in cases {
            let (outcome, _) = Self.deliver(to: try Self.target(), decision)
            guard case .dropped(let text) = outcome else {
                Issue.record("\(String(describing: outcome))")
                continue
            }
            #expect(text.contains(why), "\(text)")
        }
        let strict = try Self.target { $0.allow = [] }
        #expect(
            Self.deliver(to: strict, Self.decision(to: "http://push.example/x")).0
                == .dropped("does not get it: its subscription has no endpoint, which is an https address"))
    }
}

// MARK: The other side

extension WebPushTests {
    private static let receiver =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let notOnTheCurve =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw8"
    private static let vapidKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"

    /// The receiver of RFC 8291, appendix A.
    private static func subscription(at endpoint: String) -> Value {
        ["endpoint": .text(endpoint), "keys": ["p256dh": .text(receiver), "auth": "BTBZMqHH6r4Tts7J_aSIgg"]]
    }

    private static func decision(to endpoint: String, title: String = "Sale") -> Fields {
        [
            "id": "ana:1", "type": "notification.created", "subject": "ana",
            "data": [
                "notification": "sale/1", "campaign": "sale", "title": .text(title), "message": "Half price",
                "data": ["url": "https://shop.example", "push": subscription(at: endpoint)],
                "buttons": [["id": "yes", "title": "Yes"]],
            ],
        ]
    }

    private final class Receipts: Sendable {
        let lines = Mutex<[String]>([])
    }

    private static func target(
        _ options: (inout Configuration.Sink.WebPush) -> Void = { _ in }
    ) throws -> (WebPush, Receipts) {
        var settings = Configuration.Sink.WebPush(
            subscription: "{data.data.push}", subject: "mailto:shop@example.org", key: vapidKey)
        settings.allow = ["127.0.0.1"]
        options(&settings)
        let receipts = Receipts()
        let target = WebPush(
            Configuration.Sink(id: "browser", target: .webPush(settings)), settings, DecisionProperties([])
        ) { line in receipts.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
        return (target, receipts)
    }

    /// - Returns: how it ended, and the signals that were told since the last time.
    private static func deliver(
        to target: (target: WebPush, receipts: Receipts), _ decision: Fields
    ) -> (SinkOutcome?, [String]) {
        let item = SinkItem(
            number: 1, entry: 1, writtenAt: .distantPast, subject: "ana", id: "ana:1",
            line: Array(Value.map(decision).json.utf8))
        let ending = Ending()
        target.target.deliver(item) { ending.end($0) }
        let outcome = ending.wait()
        let signals = target.receipts.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
        return (outcome, signals)
    }

    private static func bytes(_ text: some StringProtocol) throws -> [UInt8] {
        try #require([UInt8](base64URL: String(text)))
    }

    private static func text(_ text: some StringProtocol) throws -> String {
        String(decoding: try bytes(text), as: UTF8.self)
    }

    private static func key(_ text: String) throws -> P256Key {
        try #require(VapidKey(text).flatMap(P256Key.init))
    }

    /// What the receiver of RFC 8291 reads.
    private static func read(_ body: [UInt8]) throws -> [UInt8] {
        let (salt, sender, sealed) = (Array(body[..<16]), Array(body[21..<86]), Array(body[86...]))
        let receiver = try key("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
        let agreed = try #require(receiver.agree(with: sender))
        let secret = HKDF.derive(
            agreed, salt: try bytes("BTBZMqHH6r4Tts7J_aSIgg"),
            info: Array("WebPush: info\0".utf8) + receiver.point + sender, count: 32)
        let key = HKDF.derive(secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), count: 16)
        let nonce = HKDF.derive(secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), count: 12)
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var (text, count) = ([UInt8](repeating: 0, count: sealed.count - 16), Int32(0))
        var proof = Array(sealed.suffix(16))
        #expect(EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1)
        #expect(EVP_DecryptUpdate(context, &text, &count, sealed, Int32(text.count)) == 1)
        #expect(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, &proof) == 1)
        #expect(EVP_DecryptFinal_ex(context, &proof, &count) == 1, "somebody has changed it")
        #expect(text.last == 2)
        return Array(text.dropLast())
    }

    /// As libcrypto has it, which reads signatures in DER.
    private static func isSigned(_ text: String, _ numbers: Substring, by point: Substring) throws -> Bool {
        let (numbers, point) = (try bytes(numbers), try bytes(point))
        let signature = ECDSA_SIG_new()
        ECDSA_SIG_set0(signature, BN_bin2bn(numbers, 32, nil), BN_bin2bn(Array(numbers.dropFirst(32)), 32, nil))
        var document: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(signature, &document)
        let (key, context) = (try #require(P256Key.publicHandle(point)), EVP_MD_CTX_new())
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
            ECDSA_SIG_free(signature)
            belfry_crypto_free(document)
        }
        EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key)
        return EVP_DigestVerify(context, document, Int(count), text, text.utf8.count) == 1
    }
}

extension SinkOutcome {
    /// With something in front of its words.
    fileprivate func with(_ beginning: String) -> SinkOutcome {
        switch self {
        case .failed(let why, let pause): .failed(beginning + why, pause: pause)
        case .refused(let why, let pause): .refused(beginning + why, pause: pause)
        case .dropped(let why): .dropped(beginning + why)
        case .gone(let why): .gone(beginning + why)
        case .taken: .taken
        }
    }
}
