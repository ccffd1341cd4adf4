import Sluice

/// When a member is used.
enum Situation: CaseIterable, Sendable {
  /// Nothing is under way; a row is the one on which its statement stands.
  case fresh
  /// A statement stands on a row: the very one that is used, or another one of the connection.
  case atRow
  /// A statement is running, and calls a function: the very one that is used, or another one.
  case inFunction
  /// As in a function, but of an aggregate.
  case inAggregate
  /// A statement is running, and compares by a collation.
  case inCollation
  /// Bytes of a row are lent.
  case whileLent
  /// The statement has left the row.
  case stale
  /// A queue has lent its connection, and is used by the one who has it.
  case nested
  /// The connection is closed, and its statements are finalized.
  case closed
  /// A queue owns the connection, and no closure has it.
  case kept
}

/// The situations in which a member throws, each with its code; in all others it gives a value.
struct Refusals: Sendable {
  private let codes: [Situation: ResultCode]

  subscript(situation: Situation) -> ResultCode? {
    // What a closed connection refuses, one that a closure has kept refuses too.
    codes[situation] ?? (situation == .kept ? codes[.closed] : nil)
  }

  private static func misuse(_ situations: Situation...) -> Refusals {
    Refusals(codes: Dictionary(uniqueKeysWithValues: situations.map { ($0, .misuse) }))
  }

  func but(_ situation: Situation, _ code: ResultCode?) -> Refusals {
    var codes = codes
    codes[situation] = code
    return Refusals(codes: codes)
  }

  /// The same, or that the linked SQLite lacks what it takes.
  func needing(_ capability: SQLiteCapability) -> Refusals {
    if SQLiteLibrary.has(capability) { return self }
    return Refusals(
      codes: Dictionary(uniqueKeysWithValues: Situation.allCases.map { ($0, .notFound) }))
  }

  /// The same, or that the linked SQLite lacks what it takes, which a closed connection does not get to.
  func butClosed(needing capability: SQLiteCapability) -> Refusals {
    needing(capability).but(.closed, .misuse).but(.kept, .misuse)
  }

  /// It is there always.
  static let never = misuse()
  /// It asks SQLite, and changes nothing.
  static let asks = misuse(.closed)
  /// It runs or prepares something, or changes the connection.
  static let works = misuse(.closed, .inCollation)
  /// It moves a statement.
  static let moves = misuse(.closed, .inFunction, .inCollation, .whileLent)
  /// It changes what is bound to a statement.
  static let binds = misuse(.closed, .inFunction, .inCollation, .whileLent, .atRow)
  /// It reads a row.
  static let reads = misuse(.closed, .stale)
  /// It gets the connection of a queue, and waits for it.
  static let waits = misuse(.closed, .nested, .inFunction, .inCollation)
  /// It gets the connection of a queue later.
  static let isLater = misuse(.closed)
  /// It adds something to the result of a scalar function.
  static let answers = misuse(.inAggregate)
}

/// A public member, and how it is used.
struct Entry<Subject: ~Copyable>: Sendable {
  /// The name that the compiler has for it.
  let symbol: String
  let refusals: Refusals
  let use: @Sendable (borrowing Subject) throws -> Void

  init<Result: ~Copyable>(
    _ symbol: String, _ refusals: Refusals,
    _ use: @escaping @Sendable (borrowing Subject) throws -> Result
  ) {
    self.symbol = symbol
    self.refusals = refusals
    self.use = { subject in _ = try use(subject) }
  }
}
