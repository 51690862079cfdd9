import BelfryModel
import BelfrySignals

/// How far a run has come: with every entry of the journal, in one named value.
struct RunPosition: Equatable {
    /// The last tick: every timer that was due at or before it has fired.
    var passed = Instant.distantPast
    /// The largest time that was accepted in the input at work, or the last one.
    var accepted = Instant.distantPast
    /// Where the run is in its input, if that is a file.
    var input: InputPosition?
    /// The decisions up to this entry of the journal are known to have been handed out.
    var handedOut: UInt64 = 0
    /// How much of the output file holds these decisions.
    var output: OutputPosition?

    /// The name of the value.
    static let key = "run"

    /// - Throws: `RunPositionFailure`.
    init(_ bytes: [UInt8]?) throws {
        guard let bytes else { return }
        guard let fields = Value(json: bytes[...])?.map, let passed = fields["passed"]?.integer,
            let accepted = fields["accepted"]?.integer, let handedOut = fields["handedOut"]?.integer
        else { throw RunPositionFailure(reason: "what it says of how far the last run came makes no sense") }
        self.handedOut = UInt64(clamping: handedOut)
        self.passed = Instant(milliseconds: passed)
        self.accepted = Instant(milliseconds: accepted)
        input = fields["input"]?.map.flatMap(InputPosition.init)
        output = fields["output"]?.map.flatMap(OutputPosition.init)
    }

    /// For people to read, too.
    var bytes: [UInt8] {
        var fields = Fields([
            ("passed", .integer(passed.milliseconds)), ("accepted", .integer(accepted.milliseconds)),
            ("handedOut", .integer(Int64(handedOut))),
        ])
        fields["input"] = input.map { .map($0.fields) }
        fields["output"] = output.map { .map($0.fields) }
        return Array(Value.map(fields).json.utf8)
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
    public let reason: String
    public static let fix = "restore store and journal together from a copy"

    public var description: String {
        """
        cannot go on with this store
          why: \(reason)
          fix: \(Self.fix); 'belfry state verify' says what else is damaged
        """
    }
}
