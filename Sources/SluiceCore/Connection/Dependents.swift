/// An object that keeps a transaction from ending.
///
/// While the object has a position, SQLite counts it as a writer.
protocol StandingWriter: AnyObject {
  /// The number of scopes that the writer was started in.
  var depth: Int { get }
  /// Ends the writer, because a transaction begins or ends.
  func end() throws
}

extension Statement: StandingWriter {}

/// An object, other than a statement, that must end before its connection can close.
protocol Dependent: AnyObject {
  /// This object as a writer; nil if it does not write.
  var writer: (any StandingWriter)? { get }
  /// Ends the object; later uses of it throw.
  func end() throws
}

/// The live dependents of a connection, held weakly because they can retain the connection.
struct Dependents {
  private var entries: [ObjectIdentifier: Entry] = [:]

  private struct Entry {
    weak var dependent: (any Dependent)?
  }

  mutating func add(_ dependent: any Dependent) {
    entries[ObjectIdentifier(dependent)] = Entry(dependent: dependent)
  }

  mutating func remove(_ identifier: ObjectIdentifier) { entries[identifier] = nil }

  /// The dependents as a copy, because ending one removes it.
  var all: [any Dependent] { entries.values.compactMap(\.dependent) }

  var count: Int { entries.count }

  var writers: [any StandingWriter] { all.compactMap(\.writer) }
}

extension Connection {
  /// Whether an access left no transaction open, and nothing that could outlive it.
  @inline(__always)
  var isClean: Bool {
    state.preparedCount | state.dependentCount | state.standingWriters == 0
      && isInAutocommit
  }

  /// Retains statements, blobs, sessions and backups that outlive an access of a queue.
  ///
  /// In the Swift 6 language mode, code that keeps such an object does not compile. In the Swift 5 mode, it does:
  /// any thread may then release the object at any time, but SQLite must not finalize it there. The connection
  /// therefore holds the last reference, and releases it when it closes, at the latest.
  func keepLeftovers() {
    // The statements of streams outlive an access on purpose.
    guard state.preparedCount != cursors.count || state.dependentCount + leftovers.count > 0
    else { return }
    var old = leftovers
    leftovers = []
    for index in old.indices.reversed() where old[index].isLast() { old.remove(at: index) }
    let streamed = Set(cursors.values.map(ObjectIdentifier.init))
    // A statement of a virtual table keeps its row while a stream reads the table.
    let endsRows = streamed.isEmpty
    for statement in living where statement.isPrepared {
      guard !streamed.contains(ObjectIdentifier(statement)) else { continue }
      // A statement at a row keeps the snapshot that it reads, and locks its table.
      if endsRows { try? statement.end() }
      statement.leaveAccess(endingRow: endsRows)
      leftovers.append(Reference(statement))
    }
    leftovers += dependents.all.map(\.reference)
  }
}

/// A reference to a statement, blob, session or backup that code may have kept.
protocol Leftover {
  /// Returns whether this is the last reference.
  mutating func isLast() -> Bool
}

/// A reference that knows the class of its object.
///
/// For an `AnyObject`, Swift 6.3 reports other references when there are none.
struct Reference<Object: AnyObject>: Leftover {
  private var object: Object

  init(_ object: Object) { self.object = object }

  mutating func isLast() -> Bool { isKnownUniquelyReferenced(&object) }
}

extension Dependent {
  fileprivate var reference: any Leftover { Reference(self) }
}
