import Foundation
import Testing

@Suite struct PluginsCommandTests {
    private static let configuration = "app: shop\nplugins: { directories: [plugins] }\n"
    private let place = Result { try Workplace(["belfry.yaml": configuration]) }

    @Test func `the list says what each plugin offers`() throws {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown", "Actions"))
        for arguments in [["plugins"], ["plugins", "list"]] {
            let result = try place.belfry(arguments, input: Data())
            #expect(result.status == 0 && result.errors == "")
            let cells = result.lines.map { $0.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) } }
            // Actions are always there.
            #expect(cells[..<4].map(\.first) == ["PLUGIN", "actions", "cooldown", "action-menu"])
            #expect(cells[1][2].hasPrefix("actions url, "))
            #expect(cells[2][..<5] == ["cooldown", "1.0.0", "cooldown", "./plugins/libBelfryCooldown.so", "-"])
            #expect(cells[2][5].wholeMatch(of: /sha256:[0-9a-f]{64}/) != nil)
            #expect(cells[4] == ["ACTION", "SIGNATURE", "HANDLER", "OVERRIDES", "WHAT IT DOES"])
            #expect(
                cells[5...].map(\.first) == ["url", "landingPage", "applink", "openApp", "dial", "showactions"])
            #expect(cells[5][1...2] == ["(action)", "actions"])
        }
    }

    @Test func `the list as JSON has folders, manifests and refusals`() throws {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown", "Actions"))
        try PluginFiles.compile([PluginFiles.misbehaving("wrong-abi")], into: place.file("plugins"))
        let list = try JSON(place.belfry("plugins", "list", "--json").output)
        #expect(list["folders"] == ["./plugins"])
        #expect(
            list["plugins"]?.list?.compactMap { $0.map?["manifest"]?.map?["id"] } == [
                "actions", "cooldown", "action-menu",
            ])
        #expect(list["actions"]?.list?.first?.map?["handler"] == "actions")
        #expect(list["refused"]?.list?.compactMap { $0.map?["path"] } == ["./plugins/wrong-abi.so"])
    }

    @Test func `among plugins of every sin the good ones are listed, and each of the others is refused in words`()
        throws
    {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown"))
        let sources = try PluginFiles.misbehaving
        try PluginFiles.compile(sources, into: place.file("plugins"))
        let result = try place.belfry("plugins")
        #expect(result.status == 0, "\(result.errors)")
        let paragraphs = result.output.split(separator: "\n\n").map(String.init)
        let listed = paragraphs[0].split(separator: "\n").dropFirst().compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
        #expect(Set(["actions", "cooldown", "example.well-behaved", "example.rich"]).isSubset(of: listed))
        #expect(paragraphs[1].hasPrefix("ACTION"))
        #expect(
            paragraphs.last?.trimmingCharacters(in: .newlines)
                == "passed over: './plugins/no-entry.so' is no plugin: it does not export 'belfry_plugin_entry_v1'")
        for refusal in paragraphs.dropFirst(2).dropLast() {
            #expect(refusal.hasPrefix("\ncannot load plugin '") || refusal.hasPrefix("cannot load plugin '"))
            #expect(refusal.contains("\n  why: ") && refusal.contains("\n  fix: "), "\(refusal)")
        }
        for sin in [
            "crash-during-scan", "exit-during-scan", "hang-during-scan", "wrong-abi", "null-root", "unresolved",
            "init-fails",
        ] {
            #expect(result.output.contains("cannot load plugin '\(sin).so'"))
        }
        #expect(result.output.contains("it crashed with signal SIGSEGV"))
        let told = sources.filter { result.output.contains("\($0.deletingPathExtension().lastPathComponent).so") }
        #expect(Set(sources).subtracting(told).isEmpty, "every file is listed, refused or passed over")
    }

    @Test func `a run beside a plugin that crashes works, and warns`() throws {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown", "Actions"))
        try PluginFiles.compile([PluginFiles.misbehaving("crash-during-scan")], into: place.file("plugins"))
        try place.write(
            Self.configuration
                + "chain: [ { strategy: cooldown, parameters: { period: 1h } } ]\ncampaigns: [ { id: a, message: A } ]\n",
            to: "belfry.yaml")
        let request =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"a"}}"#
        let result = try place.belfry("run", input: request)
        #expect(result.status == 0)
        #expect(result.lines.count == 1 && result.output.contains("notification.created"))
        #expect(result.errors.contains("warning: cannot load plugin 'crash-during-scan.so'"))
    }

    @Test func `a strategy in a refused plugin is told as missing, with the plugin that may have it`() throws {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown"))
        try PluginFiles.compile([PluginFiles.misbehaving("wrong-abi")], into: place.file("plugins"))
        try place.write(Self.configuration + "chain: [ { strategy: polite } ]\n", to: "belfry.yaml")
        let result = try place.belfry("run")
        #expect(result.status == 2)
        #expect(result.errors.contains("'wrong-abi.so' was refused and may have it; see 'belfry plugins'"))
    }

    @Test func `a strategy whose file has no entry is told as missing, with that file`() throws {
        let place = try place.get()
        try place.makePlugins(PluginFiles.bundled("Cooldown"))
        try PluginFiles.compile([PluginFiles.misbehaving("no-entry")], into: place.file("plugins"))
        try place.write(Self.configuration + "chain: [ { strategy: polite } ]\n", to: "belfry.yaml")
        let result = try place.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors.contains("'no-entry.so' is no plugin: it does not export 'belfry_plugin_entry_v1'"),
            "\(result.errors)")
        let list = try JSON(place.belfry("plugins", "list", "--json").output)
        #expect(list["passedOver"]?.list?.compactMap { $0.map?["path"] } == ["./plugins/no-entry.so"])
    }

    @Test func `a folder that is not there is told`() throws {
        let place = try place.get()
        let result = try place.belfry("plugins")
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                "cannot search plugin folder './plugins'\n  why: there is no such folder\n  fix: create it, or correct 'plugins: directories'"
            ))
    }

    @Test func `without a configuration, the plugins beside the command and of BELFRY_PLUGIN_PATH are listed`() throws {
        let place = try Workplace()
        try PluginFiles.compile([PluginFiles.misbehaving("well-behaved")], into: place.file("more"))
        let result = try place.belfry("plugins", environment: ["BELFRY_PLUGIN_PATH": place.file("more").path])
        let ids = Set(result.lines.dropFirst().compactMap { $0.split(separator: " ").first.map(String.init) })
        #expect(
            Set(["actions", "cooldown", "max-per-period", "segmentation", "example.well-behaved"]).isSubset(of: ids))
    }
}
