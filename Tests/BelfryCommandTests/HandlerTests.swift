import BelfryModel
import Foundation
import Testing

/// Native handlers of real plugins, called by the real command.
@Suite struct HandlerTests {
    /// Any action can be asked for: it is the data of the request.
    private static let configuration = """
        app: shop
        plugins: { directories: [plugins] }
        actions: { timeout: 300ms }
        campaigns: [ { id: any, message: "Hé!", handler: action } ]

        """

    /// What came of actions, one after the other: the data of each `action.invoked`.
    private func invoke(_ actions: [String], at place: Workplace) throws -> [Fields] {
        let signals = actions.enumerated().flatMap { index, action in
            [
                signal("requested", #"{"campaign":"any","data":\#(action)}"#),
                signal("opened", #"{"notification":"any/\#(index + 1)"}"#),
            ]
        }
        let result = try place.belfry("run", input: signals.asFile)
        #expect(result.status == 0, "\(result.errors)")
        return try Self.invoked(result)
    }

    private func signal(_ type: String, _ data: String) -> String {
        #"{"type":"notification.\#(type)","subject":"ana","time":"2026-03-02T09:00:00Z","data":\#(data)}"#
    }

    private static func invoked(_ result: Command.Result) throws -> [Fields] {
        try result.lines.map(JSON.init).filter { $0["type"] == "action.invoked" }.compactMap { $0["data"]?.map }
    }

    // MARK: Languages

    enum Language: String, CaseIterable {
        case c, swift, rust

        /// Builds a plugin of `Plugins/` into a folder.
        func build(_ name: String, into folder: URL) throws {
            switch self {
            case .c: try PluginFiles.compile([PluginFiles.own(name)], into: folder)
            case .swift: try PluginFiles.compileSwift(name, into: folder)
            case .rust: try PluginFiles.compileRust(name, into: folder)
            }
        }
    }

    @Test(arguments: [Language.c, .swift])
    func `a handler gets every type of argument`(language: Language) throws { try getEveryType(language) }

    @Test(.enabled(if: PluginFiles.hasRust, "there is no rustc on this machine"))
    func `a handler in Rust gets every type of argument`() throws { try getEveryType(.rust) }

    private func getEveryType(_ language: Language) throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        try language.build("handlers", into: place.file("plugins"))
        let name = language.rawValue
        let outcomes = try invoke(
            [
                #"{"type":"\#(name)-all","flag":false,"count":9223372036854775807,"price":-12.25,"name":"naïve 😀","blob":"/+8=","at":"1969-12-31T23:59:59.999Z"}"#,
                #"{"type":"\#(name)-all"}"#,
                #"{"type":"\#(name)-all","price":3,"count":2.0,"name":"","blob":""}"#,
                #"{"type":"\#(name)-action","extra":[1,{"a":null}]}"#,
                #"{"type":"\#(name)-both","extra":true,"more":0}"#,
                #"{"type":"\#(name)-refuse","why":"it is closed"}"#,
                #"{"type":"\#(name)-all","flag":1,"count":"2","price":"3","name":4,"blob":"?","at":"now","hue":"red"}"#,
            ], at: place)
        #expect(
            outcomes.map { $0["result"]?.text } == [
                "flag 0, count 9223372036854775807, price -12.25, name 'naïve 😀', blob ffef, at -1",
                "flag 1, count -7, price 2.50, name 'Zoë', blob 0001ff, at 1772442000000",
                "flag 1, count 2, price 3.00, name '', blob , at 1772442000000",
                "type of \(name.count + 7) bytes, 2 fields", "3 fields, message of 4 bytes", nil, nil,
            ])
        #expect(outcomes.map { $0["status"] } == ["ok", "ok", "ok", "ok", "ok", "failed", "failed"])
        #expect(Set(outcomes.map { $0["handler"] }) == [.text("test.handlers-\(name)")])
        #expect(outcomes[5]["error"] == "it is closed")
        #expect(
            outcomes[6]["error"]?.text?.hasSuffix(
                ": 'flag' is the number 1, expected true or false; 'count' is the text '2', expected a whole number; "
                    + "'price' is the text '3', expected a number; 'name' is the number 4, expected text; "
                    + "'blob' is the text '?', expected base64 text; 'at' is the text 'now', expected an RFC 3339 time, "
                    + "such as 2026-03-02T09:00:00Z; it takes no 'hue'") == true)
    }

    @Test func `a Swift function that is not what its signature says is refused, and told how`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        try Language.swift.build("crooked", into: place.file("plugins"))
        let result = try place.belfry("plugins")
        #expect(
            result.output.hasSuffix(
                """
                cannot load plugin 'crooked.so'
                  why: its init failed: the handler of 'weigh' takes Swift.Int64 for 'grams'; its signature stands for Swift.Double; \
                the handler of 'measure' takes 2 arguments; its signature stands for 3, the result being the last
                  fix: remove that cause, then load it again

                """))
    }

    // MARK: Too late

    @Test func `a handler that stops its process, or leaves one behind, costs its action`() throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration.replacing("[plugins] }", with: "[plugins] }\nisolation: process")
        ])
        try PluginFiles.compile(
            [PluginFiles.own("stuck"), PluginFiles.own("handlers")], into: place.file("plugins"))
        let outcomes = try invoke([#"{"type":"stopped"}"#, #"{"type":"left"}"#, #"{"type":"c-action"}"#], at: place)
        #expect(outcomes.map { $0["status"] } == ["timed-out", "failed", "ok"])
        #expect(
            outcomes.map { $0["error"] } == [
                "the handler's process has not answered within 300ms, and was ended",
                "the handler's process crashed with signal SIGABRT", nil,
            ])
        let crashes = try invoke(Array(repeating: #"{"type":"aborts"}"#, count: 20), at: place)
        #expect(crashes.map { $0["status"] } == Array(repeating: "failed", count: 20))
    }

    @Test func `in a thread, a handler that crashes ends the run with a sentence`() throws {
        let place = try Workplace([
            "belfry.yaml": Self.configuration.replacing("[plugins] }", with: "[plugins] }\nisolation: thread")
        ])
        try PluginFiles.compile([PluginFiles.own("stuck")], into: place.file("plugins"))
        let signals = [
            signal("requested", #"{"campaign":"any","data":{"type":"aborts"}}"#),
            signal("opened", #"{"notification":"any/1"}"#),
        ]
        let result = try place.belfry("run", input: signals.asFile)
        #expect(result.status == 1)
        #expect(
            result.errors.contains(
                "' crashed with signal SIGABRT: the handler of action 'aborts'\n  fix: take the action"),
            "\(result.errors)")
    }

    @Test func `a handler that never returns is reported, and neither decisions nor the end wait for it`() throws {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        try PluginFiles.compile(
            [PluginFiles.own("stuck"), PluginFiles.own("handlers")], into: place.file("plugins"))
        let actions = [
            #"{"type":"stuck"}"#, #"{"type":"c-action"}"#, #"{"type":"stuck"}"#, #"{"type":"url","value":"shop:x"}"#,
        ]
        let outcomes = try invoke(actions, at: place)
        #expect(outcomes.map { $0["status"] } == ["timed-out", "ok", "timed-out", "ok"])
        #expect(outcomes.map { $0["handler"] } == ["test.stuck", "test.handlers-c", "test.stuck", "actions"])
        #expect(outcomes[0]["error"] == "the handler did not return within 300ms; what it does later does not count")
        #expect(outcomes[2]["error"] == "the handler was not called: an earlier call of it has not returned yet")
        let errors = try place.belfry(
            "run",
            input: [
                signal("requested", #"{"campaign":"any","data":{"type":"stuck"}}"#),
                signal("opened", #"{"notification":"any/1"}"#),
            ].asFile
        ).errors
        #expect(
            errors.contains(
                "warning: the handler of action 'stuck' in plugin 'test.stuck' did not return within 300ms; until it does it is not "
                    + "called again, and its actions are 'timed-out'\n"))
    }

    @Test(arguments: [
        ("5", "the number 5", "a duration with a unit, such as 90s, 5m or 1h30m"),
        ("0s", "the text '0s'", "a duration from 1ms to 1h"), ("2h", "the text '2h'", "a duration from 1ms to 1h"),
    ])
    func `the time of a handler is checked`(timeout: String, found: String, expected: String) throws {
        let place = try Workplace(["belfry.yaml": "app: a\nactions: { timeout: \(timeout) }\n"])
        let check = try place.belfry("config", "check")
        #expect(check.status == 2)
        #expect(
            check.errors.hasPrefix("belfry.yaml:2: actions.timeout\n  found: \(found)\n  expected: \(expected)\n"),
            "\(check.errors)")
    }

    // MARK: Told before a tap

    @Test func `an action that can never fit its handler is warned about`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins] }
            categories:
              - id: choice
                buttons:
                  - { id: good, title: Good, action: { type: c-refuse, why: because } }
                  - { id: bad, title: Bad, action: { type: c-refuse, reason: because } }
            campaigns:
              - { id: a, message: A, category: choice, onOpen: { type: c-all, count: many } }
              - { id: b, kind: geotrigger, onFire: { type: c-refuse, why: 7 } }
              - { id: c, message: C, handler: action, data: { type: c-refuse } }
              - { id: d, message: D, handler: action, data: { typ: c-refuse } }
              - { id: e, message: E, onOpen: { type: c-refuze } }
            """
        ])
        try PluginFiles.compile([PluginFiles.own("handlers")], into: place.file("plugins"))
        let check = try place.belfry("config", "check")
        #expect(check.status == 0)
        let refuse = "the action does not fit (why: string):"
        let all =
            #"c-all(flag: bool = true, count: int = -7, price: double = 2.5, name: string = "Zoë", blob: bytes = "AAH/", "#
            + #"at: instant = "2026-03-02T09:00:00Z")"#
        #expect(
            check.errors
                == [
                    "campaign 'a', onOpen: the action does not fit \(all): 'count' is the text 'many', expected a whole number",
                    "campaign 'b', onFire: \(refuse) 'why' is the number 7, expected text",
                    "campaign 'c', data: \(refuse) 'why' is missing, expected text",
                    "campaign 'd', data: there is no action without a 'type'",
                    "campaign 'e', onOpen: no plugin provides the action type 'c-refuze'; did you mean 'c-refuse'?",
                    "category 'choice', button 'bad': \(refuse) 'why' is missing, expected text; it takes no 'reason'",
                ].map { "warning: \($0)\n" }.joined())
    }

    // MARK: Overriding

    private static let example = PluginFiles.repository.appending(path: "Examples/web-action")

    /// The example as a user has it, built by its Makefile.
    private func webAction() throws -> Workplace {
        let place = try Workplace()
        for name in ["Makefile", "belfry.yaml", "signals.jsonl", "web_action.c"] {
            try place.write(String(contentsOf: Self.example.appending(path: name), encoding: .utf8), to: name)
        }
        let make = Process()
        make.executableURL = URL(filePath: "/usr/bin/env")
        make.arguments = ["make", "-s", "CFLAGS=-Wall -Wextra -Werror", "BELFRY=\(PluginFiles.repository.path)"]
        make.currentDirectoryURL = place.url
        try make.run()
        make.waitUntilExit()
        try #require(make.terminationStatus == 0)
        return place
    }

    @Test func `web-action takes over url, and without its file the browser is back`() throws {
        let place = try webAction()
        let run = try place.belfry("run", "--signals", "signals.jsonl")
        #expect(run.status == 0)
        #expect(run.errors.contains("note: action url: web-action instead of actions\n"))
        let invoked = try Self.invoked(run)
        #expect(invoked.map { $0["handler"] } == ["action-menu", "web-action", "web-action"])
        #expect(
            invoked.dropFirst().map { $0["result"]?.json } == [
                #"{"in":"app","opened":"https://shop.example/sale"}"#,
                #"{"in":"app","opened":"https://shop.example/spring"}"#,
            ])
        let events = try run.lines.map(JSON.init).filter { $0["type"] == "event.recorded" }
        #expect(events.map { $0["data"]?.map?["name"] } == ["urlClicked", "urlClicked"], "they are the core's")

        try FileManager.default.removeItem(at: place.file("plugins/web-action.so"))
        let without = try place.belfry("run", "--signals", "signals.jsonl")
        #expect(!without.errors.contains("note:"))
        #expect(try Self.invoked(without).map { $0["handler"] } == ["action-menu", "actions", "actions"])
        #expect(try Self.invoked(without).last?["result"] == ["opened": "https://shop.example/spring"])
    }

    @Test func `what web-action cannot show it refuses`() throws {
        let place = try webAction()
        try place.write(
            "app: a\nplugins: { directories: [plugins] }\ncampaigns: [ { id: any, message: A, handler: action } ]\n",
            to: "belfry.yaml")
        let outcomes = try invoke([#"{"type":"url","value":"shop:sale"}"#, #"{"type":"url"}"#], at: place)
        #expect(
            outcomes.map { $0["error"]?.text } == [
                "only a web page can be shown inside the app: the address should begin with https://",
                "the action does not fit url(value: string): 'value' is missing, expected text",
            ])
    }

    /// Built-ins register first, wherever their files are.
    @Test(arguments: ["[plugins]", "[bundled, plugins]", "[plugins, bundled]"])
    func `the built-in is overridden wherever the plugin lies`(folders: String) throws {
        let place = try webAction()
        try place.write("app: a\nplugins: { directories: \(folders) }\n", to: "belfry.yaml")
        let description = try JSON(place.belfry("strategies", "describe", "actions", "--json").output)
        let url = description["actions"]?.list?.first { $0.map?["type"] == "url" }
        #expect(
            url
                == [
                    "type": "url", "signature": "url(value: string)", "handler": "web-action", "overrides": ["actions"],
                    "summary": "shows a web page inside the app",
                ])
    }

    @Test func `listings show every type, who handles it and what that overrides`() throws {
        let place = try webAction()
        let table = """
            ACTION       SIGNATURE           HANDLER      OVERRIDES  WHAT IT DOES
            url          url(value: string)  web-action   actions    shows a web page inside the app
            landingPage  (action)            actions                 shows a web page over the whole screen
            applink      (action)            actions                 opens a link into another app
            openApp      (action)            actions                 opens the app, at a place in it if there is a value
            dial         (action)            actions                 calls a phone number
            showactions  (action, payload)   action-menu             offers the buttons of the notification with their actions

            """
        #expect(try place.belfry("strategies", "describe", "actions").output == "plugin actions 1.0.0\n\n" + table)
        #expect(try place.belfry("plugins", "list").output.hasSuffix("\n\n" + table))
        #expect(
            try place.belfry("strategies", "describe", "web-action").output == """
                plugin web-action 1.0.0

                ACTION  SIGNATURE           HANDLER     OVERRIDES  WHAT IT DOES
                url     url(value: string)  web-action  actions    shows a web page inside the app

                """)
    }

    // MARK: The menu

    @Test func `the menu offers the buttons with their actions`() throws {
        let place = try webAction()
        let menu = try Self.invoked(place.belfry("run", "--signals", "signals.jsonl")).first
        #expect(menu?["type"] == "showactions" && menu?["status"] == "ok" && menu?["handler"] == "action-menu")
        let buttons = try JSON(
            #"""
            [{"id":"look","title":"Have a look","action":{"type":"url","value":"https://shop.example/sale"}},
             {"id":"call","title":"Call us","action":{"type":"dial","value":"+31 20 1234567"}}]
            """#)
        #expect(menu?["result"] == ["buttons": buttons.value])
    }
}
