import BelfryEngine
import BelfryModel
import BelfryStore

/// How far a store has come: committed with every batch, in one named value.
struct RunPosition: Equatable {
    /// The largest time accepted.
    var watermark = Instant.distantPast
    /// How many decisions there have been; their ids count on from there.
    var decisions: UInt64 = 0
    /// Where the run is in its input, if that is a file.
    var input: InputPosition?
    /// How much of the output file holds decisions that are known to have been handed out.
    var output: OutputPosition?

    private static let key = "run"

    /// - Throws: `RunPositionFailure` or `StoreError`.
    init(from store: any RecordStore) throws {
        guard let bytes = try store.meta(Self.key) else {
            try readFormer(store)
            return
        }
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
            bytes[..<space].elementsEqual(Self.checksum(bytes[(space + 1)...]).utf8),
            let fields = Value(json: bytes[(space + 1)...])?.map, let watermark = fields["watermark"]?.integer,
            let decisions = fields["decisions"]?.integer.flatMap(UInt64.init(exactly:))
        else {
            throw RunPositionFailure(
                reason: "what it says of how far the last run came is damaged: the bytes have changed")
        }
        self.watermark = Instant(milliseconds: watermark)
        self.decisions = decisions
        input = fields["input"]?.map.flatMap(InputPosition.init)
        output = fields["output"]?.map.flatMap(OutputPosition.init)
    }

    /// Readable, behind a checksum.
    var meta: [String: [UInt8]] {
        var fields = Fields([
            ("watermark", .integer(watermark.milliseconds)), ("decisions", .integer(Int64(decisions))),
        ])
        fields["input"] = input.map { .map($0.fields) }
        fields["output"] = output.map { .map($0.fields) }
        let text = Array(Value.map(fields).json.utf8)
        return [Self.key: Array(Self.checksum(text[...]).utf8) + [UInt8(ascii: " ")] + text]
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        String(stableHash(String(decoding: bytes, as: UTF8.self)), radix: 16)
    }

    /// What a belfry before 0.2 wrote: three numbers, each under a name of its own.
    private mutating func readFormer(_ store: any RecordStore) throws {
        func number(_ key: String) throws -> UInt64? {
            guard let bytes = try store.meta(key) else { return nil }
            guard bytes.count == 8 else {
                throw RunPositionFailure(reason: "its value '\(key)' has \(bytes.count) bytes in place of 8")
            }
            return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        if let watermark = try number("watermark") {
            self.watermark = Instant(milliseconds: Int64(bitPattern: watermark))
        }
        decisions = try number("decisions") ?? 0
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
