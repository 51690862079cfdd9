import BelfryEngine
import BelfryModel
import BelfrySignals
import Foundation

// A trace is a file of JSON lines:
//
//     {"trace":2,"belfry":…,"config":…,"app":…,"fingerprint":…}                first of all
//     {"subject":"ana","record":"…"}                     what the store knew of a subject, in base 64, before it is needed
//     {"line":12,"signal":"…"}                           a line of input as it came
//     {"line":13,"rejected":"unknown-region"}            after its signal, where it is one
//     {"decision":{…},"entries":[…]}                     after the signal or tick it comes of; entries as in `belfry explain --json`
//     {"until":"…"}                                      a tick that is no line of the input: of the clock, or of its end
//     {"end":true,"decisions":4711}                      last of all; missing where the run was ended before its input was
//
// What only a handler can say is not in it: an `action.invoked` has no outcome, `handled` of a geotrigger with one is null.

/// The lines of a trace.
package enum TraceLine {
    package static let version: Int64 = 2

    package static func record(of subject: String, _ bytes: [UInt8]) -> Fields {
        ["subject": .text(subject), "record": .text(Data(bytes).base64EncodedString())]
    }

    package static func signal(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) -> Fields {
        ["line": .integer(Int64(line)), "signal": .text(String(decoding: bytes, as: UTF8.self))]
    }

    package static func rejected(_ reject: SignalReject, line: Int) -> Fields {
        ["line": .integer(Int64(line)), "rejected": .text(reject.code.rawValue)]
    }

    package static func until(_ time: Instant) -> Fields { ["until": .text(time.description)] }

    /// How the line of a decision begins; what follows is the chain, or the end.
    package static func beginning(of effects: borrowing Effects, _ index: Int, _ catalog: Catalog) -> [UInt8] {
        var writer = JSONWriter()
        let gap = effects.write(index, to: &writer, catalog)
        var bytes = Array(writer.takeBytes().dropLast())
        if case .handled(let offset)? = gap { bytes.insert(contentsOf: "null".utf8, at: offset) }
        return Array(#"{"decision":"#.utf8) + bytes
    }
}
