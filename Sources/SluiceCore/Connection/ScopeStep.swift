/// What begins or ends a transaction or savepoint that a closure runs in.
///
/// The savepoint has a number, which is how many scopes are around it.
enum ScopeStep: Equatable {
  case begin(TransactionKind)
  case commit
  case rollback
  case savepoint(Int)
  case release(Int)
  case rollBackTo(Int)

  var sql: String {
    switch self {
    case .begin(.deferred): "BEGIN DEFERRED"
    case .begin(.immediate): "BEGIN IMMEDIATE"
    case .begin(.exclusive): "BEGIN EXCLUSIVE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    // What SQL inside of the body does to savepoints of the same name cannot reach this one.
    case .savepoint(let depth): "SAVEPOINT \"\(Self.name(depth))\""
    case .release(let depth): "RELEASE \"\(Self.name(depth))\""
    case .rollBackTo(let depth): "ROLLBACK TO \"\(Self.name(depth))\""
    }
  }

  /// What it does to the savepoints that observers are told of.
  var savepointStep: SavepointStep? {
    switch self {
    case .savepoint(let depth): .begin(Self.name(depth))
    case .release(let depth): .release(Self.name(depth))
    case .rollBackTo(let depth): .rollBack(Self.name(depth))
    case .begin, .commit, .rollback: nil
    }
  }

  /// Whether it locks the databases that were there when it was compiled, and no others.
  @inline(__always)
  var locksDatabases: Bool {
    switch self {
    case .begin(.immediate), .begin(.exclusive): true
    default: false
    }
  }

  /// All but savepoints, of which there is no end.
  static let outermost: [ScopeStep] = TransactionKind.allCases.map(begin) + [.commit, .rollback]

  /// The reason why the step failed, without the name that only the library has for the savepoint.
  func explained(_ error: any Error) -> any Error {
    guard let error = error as? SQLiteError, error.message.hasPrefix("no such savepoint: ") else {
      return error
    }
    return SQLiteError(
      .misuse,
      "The savepoint was ended inside its body, by SQL that releases or rolls back one around it")
  }

  private static func name(_ depth: Int) -> String { "sluice \(depth)" }
}
