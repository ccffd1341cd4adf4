import Sluice

/// The situation in which a member is called.
enum Situation: CaseIterable, Sendable {
  /// No statement is running. A row is the current row of its statement.
  case fresh
  /// A statement is on a row: the statement that is used, or another one of the connection.
  case atRow
  /// A running statement calls a function: the statement that is used, or another one.
  case inFunction
  /// Like `inFunction`, but the statement calls an aggregate.
  case inAggregate
  /// A running statement calls a collation.
  case inCollation
  /// A closure borrows the bytes of a row.
  case whileLent
  /// The statement is no longer on the row.
  case stale
  /// A closure that received a queue's connection uses the queue again.
  case nested
  /// The connection is closed, and its statements are finalized.
  case closed
  /// A queue owns the connection, and no closure uses it.
  case kept
}

/// The situations in which a member throws, each with its code.
///
/// In all other situations, the member returns a value.
struct Refusals: Sendable {
  private let codes: [Situation: ResultCode]

  subscript(situation: Situation) -> ResultCode? {
    // A connection that a closure retained throws wherever a closed connection throws.
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

  /// Returns these refusals, or ``ResultCode/notFound`` in every situation if the linked SQLite lacks the capability.
  func needing(_ capability: SQLiteCapability) -> Refusals {
    if SQLiteLibrary.has(capability) { return self }
    return Refusals(
      codes: Dictionary(uniqueKeysWithValues: Situation.allCases.map { ($0, .notFound) }))
  }

  /// Returns the same as `needing`, except that a closed connection throws before the capability is checked.
  func butClosed(needing capability: SQLiteCapability) -> Refusals {
    needing(capability).but(.closed, .misuse).but(.kept, .misuse)
  }

  /// The member never throws.
  static let never = misuse()
  /// The member queries SQLite, and changes nothing.
  static let asks = misuse(.closed)
  /// The member runs or prepares a statement, or changes the connection.
  static let works = misuse(.closed, .inCollation)
  /// The member steps a statement.
  static let moves = misuse(.closed, .inFunction, .inCollation, .whileLent)
  /// The member changes the bindings of a statement.
  static let binds = misuse(.closed, .inFunction, .inCollation, .whileLent, .atRow)
  /// The member reads a row.
  static let reads = misuse(.closed, .stale)
  /// The member acquires the connection of a queue, and waits for it.
  static let waits = misuse(.closed, .nested, .inFunction, .inCollation)
  /// The member acquires the connection of a queue asynchronously.
  static let isLater = misuse(.closed)
  /// The member adds something to the result of a scalar function.
  static let answers = misuse(.inAggregate)
}

/// A public member, and a closure that calls it.
struct Entry<Subject: ~Copyable>: Sendable {
  /// The name that the compiler gives the member.
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
