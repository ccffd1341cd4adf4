/// What goes on between SQLite and the closures that a connection has given to it.
final class Callbacks {
  /// How many comparisons of collations are running.
  var comparisons = 0
  /// Whether a statement that is being compiled waits for a collation.
  var isSupplyingCollation = false
  /// What a closure threw where SQLite has no way to pass it on.
  private var failure: SQLiteError?

  /// What C has let go of, until the call in which it did so has returned.
  ///
  /// SQLite lets go of a closure in the middle of its work on what the closure is for. Were it
  /// released there and then, the deinit of what it has captured could call that very thing.
  private var released: [AnyBox] = []
  private var isOpen = true

  func release(_ box: AnyBox) {
    if isOpen { released.append(box) }
  }

  /// Lets go of what C has let go of, and of what that lets go of in turn.
  func drain() {
    while !released.isEmpty {
      let boxes = released
      released = []
      withExtendedLifetime(boxes) {}
    }
  }

  /// Drains for the last time: from now on, all is released at once.
  func close() {
    isOpen = false
    drain()
  }

  /// Keeps what a closure threw until the call that it broke returns; the first counts.
  func keepFailure(_ error: any Error) {
    guard failure == nil else { return }
    failure = error as? SQLiteError ?? SQLiteError(.error, "\(error)")
  }

  func takeFailure() -> SQLiteError? {
    guard failure != nil else { return nil }
    defer { failure = nil }
    return failure
  }

  /// Refuses what would pull the ground from SQLite in the middle of its work: it stands neither
  /// statements nor new functions while it compares, nor while it compiles what refers to old ones.
  func refuseChanges(addingCollation: Bool = false) throws(SQLiteError) {
    if comparisons > 0 {
      throw SQLiteError(.misuse, "A collation compares: nothing else can be done now")
    }
    if isSupplyingCollation && !addingCollation {
      throw SQLiteError(.misuse, "A collation is needed: nothing but adding it can be done now")
    }
  }
}
