import Foundation
import Testing

/// A plugin from elsewhere decides, and that is all it does.
@Suite struct SandboxTests {
    private func said(_ options: String..., setting: String = "") throws -> String {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins, bundled] }
            \(setting)
            chain: [ { strategy: curious } ]
            campaigns: [ { id: hello, message: Hello, triggers: [ { on: request } ] } ]

            """
        ])
        try PluginFiles.compile([PluginFiles.own("curious")], into: place.file("plugins"))
        let signal =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"#
        let result = try place.belfry(["run"] + options, input: Data(signal.utf8))
        #expect(result.status == 0, "\(result.errors)")
        let decision = try JSON(result.output)
        let left = FileManager.default.fileExists(atPath: place.file("left").path) ? ", left" : ""
        return (decision["data"]?.map?["reasons"]?.list?.first?.map?["message"]?.text ?? result.output) + left
    }

    @Test func `no file, no network, no process, no signal, no limits of others, no terminal, no shared memory`() throws
    {
        #expect(
            try said() == "read EACCES, write EACCES, network EPERM, fork EPERM, signal EPERM, own limits done, "
                + "limits EPERM, typing EPERM, shared memory EPERM")
    }

    @Test(arguments: ["sandbox: off", "sandbox: false"])
    func `it can be switched off`(setting: String) throws {
        let all =
            "read done, write done, network done, fork done, signal done, own limits done, limits done, typing done, "
            + "shared memory done, left"
        #expect(try said(setting: setting) == all)
    }

    @Test func `a thread has the rights of its process`() throws {
        #expect(try said("--isolation", "thread").hasPrefix("read done"))
    }
}
