/// What SQLite takes to be writing as long as it stands somewhere: it keeps a transaction from ending.
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
  private var leftovers: [() -> Void] = []

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

extension Dependents {
  /// Keeps the end of what nothing refers to any more, and that could not end at that time.
  mutating func keep(_ end: @escaping () -> Void) { leftovers.append(end) }

  var hasLeftovers: Bool { !leftovers.isEmpty }

  mutating func nextLeftover() -> (() -> Void)? { leftovers.popLast() }
}
