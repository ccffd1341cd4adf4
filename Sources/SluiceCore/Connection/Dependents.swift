/// A statement or blob that can keep a transaction from ending.
///
/// SQLite counts a writing statement as a writer while it is at a row, and a writable blob while it is open.
protocol StandingWriter: AnyObject {
  /// The number of transactions and savepoints that were open when the writer was started.
  var depth: Int { get }
  /// Ends the writer; called before a transaction begins or ends.
  func end() throws
}

extension Statement: StandingWriter {}

/// An object, other than a statement, that must end before its connection can close.
protocol Dependent: AnyObject {
  /// This object as a writer; nil if it does not write.
  var writer: (any StandingWriter)? { get }
  /// Whether an interrupt of SQLite stops later uses of the object, so that it must end.
  var remembersInterrupts: Bool { get }
  /// Ends the object; later uses of it throw.
  func end() throws
}

extension Dependent {
  var remembersInterrupts: Bool { false }
}

/// The objects, other than the connection's own, that must end before a connection can close.
///
/// An operation that removes retained objects returns them, because their deinits can run any code.
struct Dependents {
  /// The blobs, sessions and backups, held weakly because they can retain the connection.
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// The statements of row streams; each remains at its current row between two calls to the queue.
  private var streams: [UInt64: Statement] = [:]
  /// The statements and dependents that outlived the queue access that created them.
  private var leftovers: [any Leftover] = []

  private struct Entry {
    weak var dependent: (any Dependent)?
  }

  mutating func add(_ dependent: any Dependent) {
    entries[ObjectIdentifier(dependent)] = Entry(dependent: dependent)
  }

  mutating func remove(_ identifier: ObjectIdentifier) { entries[identifier] = nil }

  /// A copy of the list of dependents, because ending a dependent removes it from the list.
  var all: [any Dependent] { entries.values.compactMap(\.dependent) }

  var count: Int { entries.count }

  var writers: [any StandingWriter] { all.compactMap(\.writer) }

  /// Returns the statement of a row stream.
  func statement(ofStream number: UInt64) -> Statement? { streams[number] }

  mutating func add(_ statement: Statement, ofStream number: UInt64) {
    streams[number] = statement
  }

  mutating func removeStream(_ number: UInt64) -> Statement? {
    streams.removeValue(forKey: number)
  }

  mutating func takeStreams() -> [UInt64: Statement] {
    defer { streams = [:] }
    return streams
  }

  /// The identifiers of the statements of row streams.
  fileprivate var streamed: Set<ObjectIdentifier> { Set(streams.values.map(ObjectIdentifier.init)) }

  fileprivate var hasLeftovers: Bool { !leftovers.isEmpty }

  fileprivate mutating func takeLeftovers() -> [any Leftover] {
    defer { leftovers = [] }
    return leftovers
  }

  fileprivate mutating func keep(_ objects: [any Leftover]) { leftovers += objects }

  /// Removes and returns all objects that the connection retains.
  mutating func takeRetained() -> ([UInt64: Statement], [any Leftover]) {
    (takeStreams(), takeLeftovers())
  }
}

extension Connection {
  /// Whether a queue access left no open transaction, and no object that could outlive the access.
  @inline(__always)
  var isClean: Bool {
    state.live.isEmpty && isInAutocommit
  }

  /// Retains statements, blobs, sessions and backups that outlive a queue access.
  ///
  /// In the Swift 6 language mode, code that keeps such an object does not compile. In the Swift 5 mode, it compiles,
  /// and any thread may release the object at any time. Because SQLite must not finalize the object on that thread,
  /// the connection retains it. The connection releases the object after a later access, once nothing else retains
  /// it, and at the latest when the connection closes.
  func keepLeftovers() {
    // The statements of row streams outlive an access on purpose.
    let streamed = dependents.streamed
    guard
      state.live.statements != streamed.count || state.live.dependents > 0
        || dependents.hasLeftovers
    else { return }
    var old = dependents.takeLeftovers()
    for index in old.indices.reversed() where old[index].isLast() { old.remove(at: index) }
    var leftovers: [any Leftover] = []
    // If a row stream reads a virtual table, the table may have run statements of its own, which must remain at
    // their rows.
    let endsRows = streamed.isEmpty
    for statement in living where statement.isPrepared {
      guard !streamed.contains(ObjectIdentifier(statement)) else { continue }
      // A statement that remained at a row would keep its read snapshot, and lock its table.
      if endsRows { try? statement.end() }
      statement.leaveAccess(endingRow: endsRows)
      leftovers.append(Reference(statement))
    }
    dependents.keep(leftovers + dependents.all.map(\.reference))
  }
}

/// A reference to a statement, blob, session or backup that the program may still retain.
protocol Leftover {
  /// Returns whether this is the last reference.
  mutating func isLast() -> Bool
}

/// A reference to an object, typed with the object's class.
///
/// With the type `AnyObject`, `isKnownUniquelyReferenced` in Swift 6.3 reports other references that do not exist.
struct Reference<Object: AnyObject>: Leftover {
  private var object: Object

  init(_ object: Object) { self.object = object }

  mutating func isLast() -> Bool { isKnownUniquelyReferenced(&object) }
}

extension Dependent {
  fileprivate var reference: any Leftover { Reference(self) }
}
