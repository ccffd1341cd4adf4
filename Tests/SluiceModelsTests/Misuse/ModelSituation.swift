import SluiceModels

/// The situation of a connection when a member reads or changes rows of models.
enum ModelSituation: CaseIterable, Sendable {
  /// Nothing is running, and the tables exist.
  case fresh
  /// A statement is on a row of the same table.
  case atRow
  /// A running statement that reads calls a function.
  case inFunction
  /// A running statement that writes calls a function.
  case inWritingFunction
  /// A running statement calls a collation.
  case inCollation
  /// A transaction is open.
  case inTransaction
  /// The database is read-only.
  case readOnly
  /// Another connection is writing, and this one does not wait.
  case busy
  /// The tables do not exist.
  case withoutTables
  /// The connection is closed.
  case closed
}

/// A public member, with each situation in which it throws and the code.
///
/// In all other situations, the member returns a value.
struct ModelEntry: Sendable {
  /// The base name of the member.
  let symbol: String
  let refusals: [ModelSituation: ResultCode]
  let use: @Sendable (Connection) throws -> Void

  init<T>(
    _ symbol: String, _ refusals: [ModelSituation: ResultCode],
    _ use: @escaping @Sendable (Connection) throws -> T
  ) {
    self.symbol = symbol
    self.refusals = refusals
    self.use = { connection in _ = try use(connection) }
  }
}

extension [ModelSituation: ResultCode] {
  /// The member needs no database.
  static let never: Self = [:]
  /// The member queries SQLite, and needs no table.
  static let asks: Self = [.closed: .misuse, .inCollation: .misuse]
  /// The member reads rows.
  static let reads = asks.but([.withoutTables: .error])
  /// The member changes rows with one statement.
  static let changes = reads.but([.readOnly: .readOnly, .busy: .busy])
  /// The member changes rows atomically with several statements.
  static let changesAll = changes.but([.inWritingFunction: .misuse])
  /// The member makes a table match its model, which is impossible inside a transaction.
  static let migrates: Self = [
    .closed: .misuse, .inCollation: .misuse, .inWritingFunction: .misuse, .inTransaction: .misuse,
    .readOnly: .readOnly, .busy: .busy,
  ]

  func but(_ others: Self) -> Self { merging(others) { $1 } }

  func without(_ situation: ModelSituation) -> Self {
    filter { $0.key != situation }
  }
}
