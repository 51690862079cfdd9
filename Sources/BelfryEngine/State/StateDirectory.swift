import BelfryModel
import Synchronization

/// What the numbers in records stand for: the owners of states, and the shapes of declared fields.
///
/// A stored record has what its own states refer to behind them, so that it can be read without any configuration. In memory, a record
/// leaves out what the process knows from the configurations that it has loaded.
public final class StateDirectory: Sendable {
    private let known = Mutex(Known())

    fileprivate struct Known {
        var owners: [UInt32: StateOwner] = [:]
        var shapes: [UInt32: StateShape] = [:]
        /// The directories of records, by what their states refer to: most refer to the same.
        var directories: [StateReferences: KnownDirectory] = [:]
    }

    package init() {}

    /// The directory of a record whose states refer to that; nil if something of it is not known here.
    func directory(of references: StateReferences) -> KnownDirectory? {
        known.withLock { known in
            if let made = known.directories[references] { return made }
            guard let directory = known.directory(of: references) else { return nil }
            if known.directories.count > 1000 { known.directories = [:] }
            known.directories[references] = directory
            return directory
        }
    }

    /// All of it, in the form of the directory of a record.
    package var bytes: [UInt8] {
        let directory = known.withLock { known in
            SubjectRecord.Directory(
                owners: known.owners.values.sorted { $0.number < $1.number },
                shapes: known.shapes.values.sorted { $0.number < $1.number })
        }
        var writer = ByteWriter()
        writer.directory(directory)
        return writer.bytes
    }

    /// Takes over what another one had, without what is known here already.
    ///
    /// - Returns: whether these bytes were written by `bytes`.
    package func add(_ bytes: [UInt8]) -> Bool {
        var reader = ByteReader(bytes.span.bytes)
        guard let other = try? reader.directory() else { return false }
        known.withLock { known in
            for owner in other.owners where known.owners[owner.number] == nil { known.owners[owner.number] = owner }
            for shape in other.shapes where known.shapes[shape.number] == nil { known.shapes[shape.number] = shape }
        }
        return true
    }

    func add(_ owner: StateOwner, _ shape: StateShape) {
        known.withLock {
            $0.owners[owner.number] = owner
            $0.shapes[shape.number] = shape
        }
    }

    func owner(_ number: UInt32) -> StateOwner? { known.withLock { $0.owners[number] } }

    func shape(_ number: UInt32) -> StateShape? {
        number & StateShape.isDeclared == 0 ? .saved(version: number) : known.withLock { $0.shapes[number] }
    }
}

extension StateDirectory.Known {
    fileprivate func directory(of references: StateReferences) -> KnownDirectory? {
        var directory = SubjectRecord.Directory()
        for index in 0..<references.count {
            guard let owner = owners[UInt32(references[index] >> 32)] else { return nil }
            directory.add(owner)
            let shape = UInt32(truncatingIfNeeded: references[index])
            if shape & StateShape.isDeclared == 0 { continue }
            guard let shape = shapes[shape] else { return nil }
            directory.add(shape)
        }
        return KnownDirectory(directory)
    }
}

/// The strategy and the chain entry that a state belongs to.
struct StateOwner: Sendable, Hashable {
    let strategy: String
    let entry: String

    /// What records refer to it by.
    var number: UInt32 { UInt32(truncatingIfNeeded: stableHash(entry, seed: stableHash(strategy))) }
}

// The directory of a record: for each owner and each shape of declared fields that is not known otherwise an entry, which begins with 0 for
// an owner and 1 for a shape.

extension SubjectRecord {
    /// What a number stands for, by the record's own directory, or that of the process.
    func owner(_ number: UInt32, _ directory: StateDirectory?) -> StateOwner? {
        directory?.owner(number) ?? ownDirectory.owners.first { $0.number == number }
    }

    func shape(_ number: UInt32, _ directory: StateDirectory?) -> StateShape? {
        if number & StateShape.isDeclared == 0 { return .saved(version: number) }
        return directory?.shape(number) ?? ownDirectory.shapes.first { $0.number == number }
    }

    struct Directory {
        var owners: [StateOwner] = []
        var shapes: [StateShape] = []

        var isEmpty: Bool { owners.isEmpty && shapes.isEmpty }

        mutating func add(_ owner: StateOwner) { if !owners.contains(owner) { owners.append(owner) } }
        mutating func add(_ shape: StateShape) { if !shapes.contains(shape) { shapes.append(shape) } }

        /// The same for every record that refers to the same.
        var sorted: Directory {
            Directory(
                owners: owners.sorted { $0.number < $1.number }, shapes: shapes.sorted { $0.number < $1.number })
        }
    }

    var ownDirectory: Directory {
        get {
            if block.isEmpty(.directory) { return Directory() }
            return Self.sound(.directory) { () throws(ByteReader.Damage) in
                var reader = ByteReader(block.bytes(of: .directory))
                return try reader.directory()
            }
        }
        set {
            if newValue.isEmpty { return empty(.directory) }
            write(.directory) { $0.directory(newValue) }
        }
    }

    /// Everything that the states refer to.
    ///
    /// - Parameter directory: of the process.
    func completeDirectory(_ directory: StateDirectory?) -> Directory {
        var complete = Directory()
        for slot in slots {
            if let owner = owner(slot.owner, directory) { complete.add(owner) }
            if let shape = shape(slot.shape, directory), case .fields = shape { complete.add(shape) }
        }
        return complete.sorted
    }

    /// The directory as it is stored.
    func storedDirectory(_ directory: StateDirectory?) -> [UInt8] {
        if stateCount == 0, block.isEmpty(.directory) { return [] }
        guard let directory else { return block.bytes(of: .directory).withUnsafeBytes { Array($0) } }
        if block.isEmpty(.directory), let known = references.flatMap({ directory.directory(of: $0) }) {
            return known.bytes
        }
        var writer = ByteWriter()
        writer.directory(completeDirectory(directory))
        return writer.bytes
    }

    /// Leaves out what the process knows.
    mutating func forgetKnown(_ directory: StateDirectory) {
        if block.isEmpty(.directory) { return }
        var own = ownDirectory
        own.owners.removeAll { directory.owner($0.number) == $0 }
        own.shapes.removeAll { directory.shape($0.number) == $0 }
        ownDirectory = own
    }
}

extension ByteWriter {
    mutating func directory(_ directory: SubjectRecord.Directory) {
        for owner in directory.owners {
            byte(0)
            text(owner.strategy)
            text(owner.entry)
        }
        for case .fields(let fields) in directory.shapes {
            byte(1)
            list(fields) {
                $0.byte($1.type.rawValue)
                $0.bool($1.isOptional)
                $0.text($1.name)
            }
        }
    }
}

extension ByteReader {
    @_lifetime(self: copy self)
    mutating func directory() throws(Damage) -> SubjectRecord.Directory {
        var directory = SubjectRecord.Directory()
        while rest > 0 {
            switch try byte() {
            case 0: directory.owners.append(StateOwner(strategy: try text(), entry: try text()))
            case 1: directory.shapes.append(try shape())
            default: throw damage
            }
        }
        return directory
    }

    @_lifetime(self: copy self)
    private mutating func shape() throws(Damage) -> StateShape {
        var fields: [StateShape.Field] = []
        for _ in 0..<(try count()) {
            guard let type = StateShape.Kind(rawValue: try byte()) else { throw damage }
            let isOptional = try bool()
            fields.append(StateShape.Field(name: try text(), type: type, isOptional: isOptional))
        }
        return .fields(fields)
    }
}
