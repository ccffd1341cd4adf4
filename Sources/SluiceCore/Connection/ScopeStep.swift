/// What begins or ends a transaction or savepoint that a closure runs in.
struct ScopeStep: Equatable {
  /// Where its statement is among those of a connection: five come first, and then three for each depth.
  let place: Int

  static func begin(_ kind: TransactionKind) -> ScopeStep {
    switch kind {
    case .deferred: ScopeStep(place: 0)
    case .immediate: ScopeStep(place: 1)
    case .exclusive: ScopeStep(place: 2)
    }
  }

  static var commit: ScopeStep { ScopeStep(place: 3) }
  static var rollback: ScopeStep { ScopeStep(place: 4) }

  /// The depth of a savepoint is how many scopes are around it.
  static func savepoint(_ depth: Int) -> ScopeStep { ScopeStep(place: 5 + 3 * depth) }
  static func release(_ depth: Int) -> ScopeStep { ScopeStep(place: 6 + 3 * depth) }
  static func rollBackTo(_ depth: Int) -> ScopeStep { ScopeStep(place: 7 + 3 * depth) }

  var beginsTransaction: Bool { place < 3 }

  /// Whether it locks the databases that were there when it was compiled, and no others.
  var locksDatabases: Bool { place == 1 || place == 2 }

  var sql: String {
    switch place {
    case 0: "BEGIN DEFERRED"
    case 1: "BEGIN IMMEDIATE"
    case 2: "BEGIN EXCLUSIVE"
    case 3: "COMMIT"
    case 4: "ROLLBACK"
    // What SQL inside of the body does to savepoints of the same name cannot reach this one.
    default: ["SAVEPOINT", "RELEASE", "ROLLBACK TO"][(place - 5) % 3] + " \"\(name)\""
    }
  }

  /// What it does to the savepoints that observers are told of.
  var savepointStep: SavepointStep? {
    guard place >= 5 else { return nil }
    return switch (place - 5) % 3 {
    case 0: .begin(name)
    case 1: .release(name)
    default: .rollBack(name)
    }
  }

  /// Which savepoint it ends or empties, and whether it undoes what was done in there.
  var savepointEnd: (depth: Int, isRolledBack: Bool)? {
    guard place >= 5, (place - 5) % 3 > 0 else { return nil }
    return ((place - 5) / 3, (place - 5) % 3 == 2)
  }

  /// The name of the savepoint.
  private var name: String { "sluice \((place - 5) / 3)" }

  /// The reason why the step failed, without the name that only the library has for the savepoint.
  func explained(_ error: any Error) -> any Error {
    guard let error = error as? SQLiteError, error.message.hasPrefix("no such savepoint: ") else {
      return error
    }
    return SQLiteError(
      .misuse,
      "The savepoint was ended inside its body, by SQL that releases or rolls back one around it")
  }
}
