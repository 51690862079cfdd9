import Foundation
import Testing

@testable import BelfryConfiguration

@Suite struct ChainEditorTests {
    static let block = """
        app: a   # the app
        chain:
          # who it is for
          - strategy: segmentation   # first

          # --- limits ---

          # not too often
          - strategy: cooldown
            id: breather   # plugin-wide
            parameters:
              period: 30m
            # control: observer
          - {strategy: once, per: campaign}   # ever
          # - strategy: schedule

        # the rest
        groups: []

        """

    @Test func `an entry moves with the comments above it, all else stays`() throws {
        try expect(
            Self.block, "segmentation", .after("breather"),
            gives: """
                app: a   # the app
                chain:
                  # not too often
                  - strategy: cooldown
                    id: breather   # plugin-wide
                    parameters:
                      period: 30m
                    # control: observer

                  # --- limits ---

                  # who it is for
                  - strategy: segmentation   # first
                  - {strategy: once, per: campaign}   # ever
                  # - strategy: schedule

                # the rest
                groups: []

                """)
    }

    @Test func `an entry moves to the front`() throws {
        try expect(
            Self.block, "once", .first,
            gives: """
                app: a   # the app
                chain:
                  - {strategy: once, per: campaign}   # ever

                  # --- limits ---

                  # who it is for
                  - strategy: segmentation   # first
                  # not too often
                  - strategy: cooldown
                    id: breather   # plugin-wide
                    parameters:
                      period: 30m
                    # control: observer
                  # - strategy: schedule

                # the rest
                groups: []

                """)
    }

    /// What stands between `app: a` and the end, before and after `b` is moved before `a`.
    @Test(arguments: [
        ("chain:\n- strategy: a\n- strategy: b\n", "chain:\n- strategy: b\n- strategy: a\n"),
        ("chain:\n- strategy: a\n- strategy: b", "chain:\n- strategy: b\n- strategy: a"),
        ("chain:\n- strategy: a\n- strategy: b\n...\n", "chain:\n- strategy: b\n- strategy: a\n...\n"),
        ("chain:\n-\n  strategy: a\n- # two\n  strategy: b\n", "chain:\n- # two\n  strategy: b\n-\n  strategy: a\n"),
        (
            "chain: [ {strategy: a, id: a}, {strategy: b} ] # both\n",
            "chain: [ {strategy: b}, {strategy: a, id: a} ] # both\n"
        ),
        (
            "chain: [\n  {strategy: a},\n  {strategy: b, when: {data.x: 'it''s ]'}}\n]\n",
            "chain: [\n  {strategy: b, when: {data.x: 'it''s ]'}},\n  {strategy: a}\n]\n"
        ),
        (
            "chain:\n  - strategy: a\n    when: {data.x: \"ä 🎄\"}\n  - {strategy: b} # ü\n",
            "chain:\n  - {strategy: b} # ü\n  - strategy: a\n    when: {data.x: \"ä 🎄\"}\n"
        ),
    ])
    func `layouts survive a move`(_ before: String, _ after: String) throws {
        try expect("app: a\n" + before, "b", .before("a"), gives: "app: a\n" + after)
        try expect("app: a\n" + before, "a", .last, gives: "app: a\n" + after)
    }

    @Test func `a file with CRLF keeps it`() throws {
        let crlf = Self.block.replacingOccurrences(of: "\n", with: "\r\n")
        let folder = try Folder(["belfry.yaml": crlf])
        _ = try ChainEditor(path: folder.path("belfry.yaml")).move("once", to: .first)
        _ = try ChainEditor(path: folder.path("belfry.yaml")).setEnabled("breather", false)
        let text = try folder.text(of: "belfry.yaml")
        #expect(text.unicodeScalars.count { $0 == "\r" } == text.unicodeScalars.count { $0 == "\n" })
        #expect(text.contains("id: breather   # plugin-wide\r\n    enabled: false\r\n"))
    }

    @Test func `a JSON configuration is edited as JSON`() throws {
        let json = #"{"app": "a", "chain": [{"strategy": "a"}, {"strategy": "b"}]}"#
        try expect(json, "a", .last, gives: #"{"app": "a", "chain": [{"strategy": "b"}, {"strategy": "a"}]}"#)
        try expect(
            json, "a", false, gives: #"{"app": "a", "chain": [{"strategy": "a", "enabled": false}, {"strategy": "b"}]}"#
        )
    }

    @Test(arguments: [
        ("- strategy: a # x", "- strategy: a # x\n  enabled: false"),
        ("- per: group\n  strategy: a", "- per: group\n  strategy: a\n  enabled: false"),
        ("- strategy: a\n  enabled: true # for now", "- strategy: a\n  enabled: false # for now"),
        ("- {strategy: a, per: group}", "- {strategy: a, enabled: false, per: group}"),
        ("- { strategy: a }", "- { strategy: a, enabled: false }"),
    ])
    func `an entry is disabled in its own style, and enabled again`(_ before: String, _ after: String) throws {
        try expect("app: a\nchain:\n" + before, "a", false, gives: "app: a\nchain:\n" + after)
        let enabled = after.replacingOccurrences(of: "enabled: false", with: "enabled: true")
        try expect("app: a\nchain:\n" + after, "a", true, gives: "app: a\nchain:\n" + enabled)
    }

    @Test func `a change says what it did`() throws {
        let folder = try Folder(["belfry.yaml": Self.block])
        let editor = ChainEditor(path: folder.path("belfry.yaml"))
        #expect("\(try editor.move("once", to: .first))" == "'once' moved from position 3 to 1")
        #expect("\(try editor.move("once", to: .before("segmentation")))" == "'once' is already at position 1")
        #expect("\(try editor.setEnabled("once", true))" == "'once' was already enabled")
        #expect("\(try editor.setEnabled("once", false))" == "'once' is now disabled")
    }

    @Test func `the file keeps its permissions and a link stays a link`() throws {
        let folder = try Folder(["real.yaml": Self.block])
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("real.yaml"))
        try manager.createSymbolicLink(
            atPath: folder.path("belfry.yaml"), withDestinationPath: folder.path("real.yaml"))
        _ = try ChainEditor(path: folder.path("belfry.yaml")).move("once", to: .first)
        #expect(try manager.attributesOfItem(atPath: folder.path("real.yaml"))[.posixPermissions] as? Int == 0o640)
        #expect(try manager.destinationOfSymbolicLink(atPath: folder.path("belfry.yaml")) == folder.path("real.yaml"))
        #expect(try manager.contentsOfDirectory(atPath: folder.path("")).count == 2)
    }

    @Test func `the chain of an included file is edited there, and not across files`() throws {
        let folder = try Folder([
            "belfry.yaml": "app: a\ninclude: [more.yaml]\nchain:\n- strategy: a\n",
            "more.yaml": "chain:\n- strategy: b\n- strategy: c\n",
        ])
        let editor = ChainEditor(path: folder.path("belfry.yaml"))
        #expect(try editor.move("c", to: .before("b")).newPosition == 2)
        #expect(try folder.text(of: "more.yaml") == "chain:\n- strategy: c\n- strategy: b\n")
        let error = #expect(throws: ChainEditError.self) { try editor.move("c", to: .first) }
        #expect(
            folder.strip(error?.description ?? "") == """
                cannot move 'c' to the front
                  why: 'c' is in more.yaml, the place it would take in belfry.yaml
                  fix: move the lines by hand; files are joined in the order of 'include'
                """)
    }

    /// Refusals, for moving `b` before `a`.
    @Test(arguments: [
        (
            "- strategy: a\n- strategy: c\n", "the chain has a, c, but no 'b'",
            "name one of its entries, or add 'b' to the file"
        ),
        (
            "- strategy: a\n- strategy: b\n- strategy: b\n", "the chain has 2 entries 'b'",
            "give all but one of them another 'id'"
        ),
        (
            "- &x {strategy: a, id: z}\n- {strategy: a, when: *x}\n- {strategy: b}\n- *x\n",
            "an entry of the chain is an alias", "edit the file by hand, or write the chain with one '- ' per entry"
        ),
        (
            "- {strategy: a, parameters: &p {x: 1}}\n- {strategy: b, parameters: *p}\n",
            "the changed text of belfry.yaml would say something else as well",
            "edit the file by hand; an anchor, an alias or an unusual layout is in the way"
        ),
        (
            "  [ {strategy: a}, # one\n   {strategy: b} ]\n",
            "the chain is one '[ … ]' with comments between its entries, and whose they are is not clear",
            "edit the file by hand, or write the chain with one '- ' per entry"
        ),
    ])
    func `what cannot be done safely is refused and nothing is written`(_ chain: String, _ why: String, _ fix: String)
        throws
    {
        let yaml = "app: a\nchain:\n" + chain
        let folder = try Folder(["belfry.yaml": yaml])
        let error = #expect(throws: ChainEditError.self) {
            try ChainEditor(path: folder.path("belfry.yaml")).move("b", to: .before("a"))
        }
        #expect(folder.strip(error?.description ?? "") == "cannot move 'b' before 'a'\n  why: \(why)\n  fix: \(fix)")
        #expect(try folder.text(of: "belfry.yaml") == yaml)
    }

    // MARK: Helpers

    private func expect(
        _ before: String, _ id: String, _ destination: ChainEditor.Destination, gives after: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let folder = try Folder(["belfry.yaml": before])
        _ = try ChainEditor(path: folder.path("belfry.yaml")).move(id, to: destination)
        #expect(try folder.text(of: "belfry.yaml") == after, sourceLocation: location)
    }

    private func expect(
        _ before: String, _ id: String, _ isEnabled: Bool, gives after: String,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let folder = try Folder(["belfry.yaml": before])
        _ = try ChainEditor(path: folder.path("belfry.yaml")).setEnabled(id, isEnabled)
        #expect(try folder.text(of: "belfry.yaml") == after, sourceLocation: location)
    }
}
