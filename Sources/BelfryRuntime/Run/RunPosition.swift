import BelfryEngine
import BelfryModel
import BelfrySignals
import BelfryStore

/// How far a store has come: committed with every batch, in one named value.
struct RunPosition: Equatable {
    /// The last tick: every timer that was due at or before it has fired.
    var passed = Instant.distantPast
    /// The largest time that was accepted in the input at work, or the last one.
    var accepted = Instant.distantPast
    /// Where the run is in its input, if that is a file.
    var input: InputPosition?
    /// How much of the output file holds decisions that are known to have been handed out.
    var output: OutputPosition?

    private static let key = "run"

    /// - Throws: `RunPositionFailure` or `StoreError`.
    init(from store: any RecordStore) throws {
        guard let bytes = try store.meta(Self.key) else { return }
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            bytes[..<space].elementsEqual(Self.checksum(bytes[(space + 1)...]).utf8),
            let fields = Value(json: bytes[(space + 1)...])?.map, let passed = fields["passed"]?.integer,
            let accepted = fields["accepted"]?.integer
        else {
            throw RunPositionFailure(
                reason: "what it says of how far the last run came is damaged: the bytes have changed")
        }
        self.passed = Instant(milliseconds: passed)
        self.accepted = Instant(milliseconds: accepted)
        input = fields["input"]?.map.flatMap(InputPosition.init)
        output = fields["output"]?.map.flatMap(OutputPosition.init)
    }

    /// Readable, behind a checksum.
    var meta: [String: [UInt8]] {
        var fields = Fields([
            ("passed", .integer(passed.milliseconds)), ("accepted", .integer(accepted.milliseconds)),
        ])
        fields["input"] = input.map { .map($0.fields) }
        fields["output"] = output.map { .map($0.fields) }
        let text = Array(Value.map(fields).json.utf8)
        return [Self.key: Array(Self.checksum(text[...]).utf8) + [UInt8(ascii: " ")] + text]
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        String(stableHash(String(decoding: bytes, as: UTF8.self)), radix: 16)
    }
}

extension InputPosition {
    fileprivate var fields: Fields {
        Fields([
            ("name", .text(name)), ("offset", .integer(Int64(offset))), ("line", .integer(Int64(line))),
            ("finished", .bool(isFinished)), ("fingerprint", .text(String(fingerprint, radix: 16))),
        ])
    }

    fileprivate init?(_ fields: Fields) {
        guard let name = fields["name"]?.text, let offset = fields["offset"]?.integer,
            let line = fields["line"]?.integer, let isFinished = fields["finished"]?.bool,
            let fingerprint = fields["fingerprint"]?.text.flatMap({ UInt64($0, radix: 16) }), offset >= 0, line >= 0
        else { return nil }
        self.init(
            name: name, offset: Int(offset), line: Int(line), isFinished: isFinished, fingerprint: fingerprint)
    }
}

extension OutputPosition {
    /// Device and inode as text: they fill all 64 bits, which a number in JSON cannot.
    fileprivate var fields: Fields {
        Fields([
            ("device", .text(String(device))), ("inode", .text(String(inode))), ("length", .integer(Int64(length))),
        ])
    }

    fileprivate init?(_ fields: Fields) {
        guard let device = fields["device"]?.text.flatMap({ UInt64($0) }),
            let inode = fields["inode"]?.text.flatMap({ UInt64($0) }), let length = fields["length"]?.integer,
            length >= 0
        else { return nil }
        self.init(device: device, inode: inode, length: Int(length))
    }
}

/// What a run has stored to go on with cannot be read.
public struct RunPositionFailure: Error, CustomStringConvertible {
    var reason: String

    public var description: String {
        """
        cannot go on with this store
          why: \(reason)
          fix: restore the store from a copy; 'belfry state verify' says what else is damaged
        """
    }
}
