import CSluice

extension RecordedChanges {
  /// A group that combines any number of recorded changes into at most one change for each row.
  ///
  /// ```swift
  /// let group = try Changeset.Group()
  /// for changeset in today { try group.add(changeset) }
  /// try backup.apply(group.output())
  /// ```
  ///
  /// Like a connection, a group belongs to one thread or task at a time. If adding changes fails, the content of
  /// the group is unknown, and every later call throws the same error.
  ///
  /// The corresponding C type is `sqlite3_changegroup`.
  @safe public final class Group {
    private let handle: OpaquePointer
    private var turn = ReentrancyGuard("The group")

    /// Creates a group without changes.
    ///
    /// The corresponding C function is `sqlite3changegroup_new`.
    public init() throws {
      try SessionModule.enter()
      var handle: OpaquePointer?
      try SessionModule.check(unsafe sluice_changegroup_new(&handle))
      guard let handle = unsafe handle else {
        throw SQLiteError(.noMemory, "Out of memory for a changegroup")
      }
      unsafe self.handle = handle
    }

    deinit { unsafe sluice_changegroup_delete(handle) }
  }
}

@available(*, unavailable)
extension RecordedChanges.Group: Sendable {}

extension RecordedChanges.Group {
  /// Adds changes, as if they were made after the changes in the group.
  ///
  /// Throws ``ResultCode/schema`` if a table has different columns in the group.
  ///
  /// The corresponding C function is `sqlite3changegroup_add`.
  public func add(_ changes: RecordedChanges<Format>) throws {
    try unsafe changes.withCombinableBytes { count, bytes in
      try use(changing: true) {
        try SessionModule.check(unsafe sluice_changegroup_add(handle, count, bytes))
      }
    }
  }

  /// Adds the changes of a stream, as if they were made after the changes in the group.
  ///
  /// The corresponding C function is `sqlite3changegroup_add_strm`.
  public func add(_ changes: RecordedChanges<Format>.Stream) throws {
    let input = changes.input()
    try use(changing: true) {
      let code = unsafe sluice_changegroup_add_strm(handle, ChangesInput.read, input.pointer)
      try withExtendedLifetime(input) {
        if let failure = input.failure { throw failure }
        try SessionModule.check(code)
      }
    }
  }

  /// Returns the combined changes.
  ///
  /// The corresponding C function is `sqlite3changegroup_output`.
  public func output() throws -> RecordedChanges<Format> {
    try use {
      RecordedChanges(
        written: try unsafe SessionModule.bytes { count, bytes in
          try SessionModule.check(unsafe sluice_changegroup_output(handle, count, bytes))
        })
    }
  }

  /// Writes the combined changes to `output`, in chunks.
  ///
  /// `output` cannot use the group. The group itself is in memory, but this method does not create one array of
  /// bytes with all changes.
  ///
  /// The corresponding C function is `sqlite3changegroup_output_strm`.
  public func output(to output: (_ chunk: [UInt8]) throws -> Void) throws {
    try use {
      try unsafe withOutput(output) { output in
        unsafe sluice_changegroup_output_strm(handle, ChangesOutput.write, output)
      }
    }
  }

  private func use<T>(changing: Bool = false, _ body: () throws -> T) throws -> T {
    try turn.begin()
    defer { turn.end() }
    do { return try body() } catch {
      if changing { turn.failure = error }
      throw error
    }
  }
}

/// A guard against re-entrant use of an SQLite object, and against further use after a failed change.
struct ReentrancyGuard {
  /// The error that left the object incomplete.
  var failure: (any Error)?
  private let noun: String
  private var isTaken = false

  init(_ noun: String) { self.noun = noun }

  mutating func begin() throws {
    if let failure { throw failure }
    guard !isTaken else {
      throw SQLiteError(.misuse, "\(noun) is in use; a closure that it calls cannot use it")
    }
    isTaken = true
  }

  mutating func end() { isTaken = false }
}
