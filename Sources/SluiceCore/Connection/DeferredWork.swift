import CSluice

/// Objects that have lost their last reference while SQLite was at work, and wait until that work is done.
///
/// SQLite lets go of a closure in the middle of its work on what the closure is for. If it were released there and then,
/// the deinit of what it has captured could call that very thing.
struct DeferredWork {
  /// Statements and blobs to end, once SQLite is not in the middle of a call that stands no change.
  private var ends: [DeferredEnd] = []
  /// Boxes that C has let go of, to release once no call of SQLite is under way.
  private var released: [AnyBox] = []

  var hasEnds: Bool { !ends.isEmpty }
  var hasReleased: Bool { !released.isEmpty }

  mutating func add(_ end: DeferredEnd) { ends.append(end) }

  mutating func nextEnd() -> DeferredEnd? { ends.popLast() }

  mutating func add(_ box: AnyBox) { released.append(box) }

  mutating func takeReleased() -> [AnyBox] {
    defer { released = [] }
    return released
  }
}

/// The end of a statement or blob to which nothing refers any more.
@safe enum DeferredEnd {
  case statement(OpaquePointer, StatementMemory)
  case blob(OpaquePointer)

  fileprivate func run() {
    switch self {
    case .statement(let handle, let memory):
      unsafe sqlite3_finalize(handle)
      memory.deallocate()
    case .blob(let handle): unsafe sqlite3_blob_close(handle)
    }
  }
}

extension ConnectionState {
  /// Whether SQLite is in the middle of a call that stands no change, or the connection belongs to another process.
  var isMidway: Bool { calls.refuses(.use) || isInFileSystem || isForked }

  /// Releases a box once no call of SQLite is under way.
  func release(_ box: AnyBox) {
    if isOpen { deferred.add(box) }
  }

  /// Releases objects once no call of SQLite is under way: an error can hold an object whose deinit calls anything.
  func releaseLater<T>(_ objects: [T]) {
    if !objects.isEmpty { release(Box(objects, self)) }
  }

  /// Releases what waits for that, and what that releases in turn.
  func releaseDeferred() {
    while hasReleased {
      let boxes = deferred.takeReleased()
      withExtendedLifetime(boxes) {}
    }
  }

  /// Releases what waits for that; from now on, nothing does.
  func close() {
    isOpen = false
    releaseDeferred()
  }

  /// Tells observers of a commit, and releases what waits for that, unless a call of SQLite is under way.
  @inline(__always)
  func settle() {
    if mayHaveToSettle { settleNow() }
  }

  @inline(never)
  private func settleNow() {
    if hasCommitted { tracker?.flush() }
    if watchesTransactions { transactionWatch?.settle() }
    if calls.depth == 0 { releaseDeferred() }
  }
}

extension Connection {
  /// Ends a statement or blob, as soon as SQLite is not in the middle of a call that stands no change.
  func finish(_ end: DeferredEnd) {
    guard !state.isMidway else { return state.deferred.add(end) }
    state.calling { end.run() }
    state.dropFailure()
    noteEnd()
    state.settle()
  }

  /// Ends the statements and blobs that could not end when they lost their last reference.
  func finishDeferred() {
    guard state.hasDeferredEnds, !state.isMidway else { return }
    // An end can come here again, or close the connection, which ends the others.
    while let end = state.deferred.nextEnd() { finish(end) }
  }
}
