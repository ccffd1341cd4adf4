/// An object that SQLite counts as writing while it has a position: it keeps a transaction from ending.
protocol StandingWriter: AnyObject {
  /// How many scopes it was started in.
  var depth: Int { get }
  /// Ends it, because a transaction begins or ends.
  func end() throws
}

extension Statement: StandingWriter {}

/// Something of a connection's, other than a statement, that has to end before that can close.
protocol Dependent: AnyObject {
  /// Itself, if it is writing.
  var writer: (any StandingWriter)? { get }
  /// Ends it; whoever uses it from now on is told so.
  func end() throws
}

/// The living dependents of a connection, which they keep.
struct Dependents {
  private var entries: [ObjectIdentifier: Entry] = [:]

  private struct Entry {
    weak var dependent: (any Dependent)?
  }

  mutating func add(_ dependent: any Dependent) {
    entries[ObjectIdentifier(dependent)] = Entry(dependent: dependent)
  }

  mutating func remove(_ identifier: ObjectIdentifier) { entries[identifier] = nil }

  /// A copy: one that ends takes itself out.
  var all: [any Dependent] { entries.values.compactMap(\.dependent) }

  var count: Int { entries.count }

  var writers: [any StandingWriter] { all.compactMap(\.writer) }
}

extension Connection {
  /// Whether an access has left neither a transaction, nor anything that could outlive it.
  @inline(__always)
  var isClean: Bool {
    state.preparedCount | state.dependentCount | state.standingWriters == 0
      && isInAutocommit
  }

  /// Retains statements, blobs, sessions and backups that outlive an access of a queue.
  ///
  /// Swift 6 does not compile code that keeps one. Swift 5 does: any thread may then release it at any time, and SQLite
  /// must not finalize it there. The last reference is this one, which goes when the connection closes at the latest.
  func keepLeftovers() {
    // A queue keeps the statements of its streams.
    guard state.preparedCount != cursors.count || state.dependentCount + leftovers.count > 0
    else { return }
    var old = leftovers
    leftovers = []
    for index in old.indices.reversed() where old[index].isLast() { old.remove(at: index) }
    let streamed = Set(cursors.values.map(ObjectIdentifier.init))
    // A statement of a virtual table stays on its row while a stream reads the table.
    let endsRows = streamed.isEmpty
    for statement in living where statement.isPrepared {
      guard !streamed.contains(ObjectIdentifier(statement)) else { continue }
      // A row keeps the state that a read sees, and locks its table.
      if endsRows { try? statement.end() }
      statement.leaveAccess(endingRow: endsRows)
      leftovers.append(Reference(statement))
    }
    leftovers += dependents.all.map(\.reference)
  }
}

/// A reference to a statement, blob, session or backup that somebody may have kept.
protocol Leftover {
  /// Whether it is the last one.
  mutating func isLast() -> Bool
}

/// It knows the class: of an `AnyObject`, Swift 6.3 says that there are others when there are none.
struct Reference<Object: AnyObject>: Leftover {
  private var object: Object

  init(_ object: Object) { self.object = object }

  mutating func isLast() -> Bool { isKnownUniquelyReferenced(&object) }
}

extension Dependent {
  fileprivate var reference: any Leftover { Reference(self) }
}
