import CSluice

/// Objects that lost their last reference during an SQLite call, and are released after the call.
///
/// SQLite can release a closure in the middle of work on the object that the closure belongs to. If the closure
/// were deallocated immediately, the deinit of a captured value could call that object.
struct DeferredWork {
  /// The statements and blobs to end once no call in progress forbids this.
  private var ends: [DeferredEnd] = []
  /// The boxes that C has released, to release once no SQLite call is in progress.
  private var released: [AnyBox] = []
  /// Whether the connection still exists; later, nothing is deferred.
  private(set) var isOpen = true

  var hasEnds: Bool { !ends.isEmpty }
  var hasReleased: Bool { !released.isEmpty }

  mutating func add(_ end: DeferredEnd) { ends.append(end) }

  mutating func nextEnd() -> DeferredEnd? { ends.popLast() }

  mutating func add(_ box: AnyBox) {
    if isOpen { released.append(box) }
  }

  mutating func takeReleased() -> [AnyBox] {
    defer { released = [] }
    return released
  }

  mutating func close() { isOpen = false }
}

/// The pending end of a statement or blob that has lost its last reference.
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
  /// Whether a call in progress forbids ending statements and blobs, or the connection belongs to another process.
  var isMidway: Bool { calls.refuses(.use) || isInFileSystem || isForked }

  /// Releases a box once no SQLite call is in progress.
  func release(_ box: AnyBox) { deferred.add(box) }

  /// Releases objects once no SQLite call is in progress.
  ///
  /// For example, an error can retain an object whose deinit makes arbitrary calls.
  func releaseLater<T>(_ objects: [T]) {
    if !objects.isEmpty { release(Box(objects, self)) }
  }

  /// Releases the deferred objects, and any further objects that are deferred as a result.
  func releaseDeferred() {
    while hasReleased {
      let boxes = deferred.takeReleased()
      withExtendedLifetime(boxes) {}
    }
  }

  /// Releases the deferred objects, and no longer defers releases.
  func close() {
    deferred.close()
    releaseDeferred()
  }
}

extension Connection {
  /// Ends a statement or blob, or defers its end if a call in progress forbids it.
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
    // Ending a statement or blob can call this method again, or close the connection, which ends the remaining
    // statements and blobs. Therefore, take them from the list one at a time.
    while let end = state.deferred.nextEnd() { finish(end) }
  }
}
