import SluiceModels

/// Where a connection is, when a member is used that reads or changes rows of models.
enum ModelSituation: CaseIterable, Sendable {
  /// Nothing is under way, and the tables are there.
  case fresh
  /// A statement stands on a row of the very table.
  case atRow
  /// A statement that reads is running, and calls a function.
  case inFunction
  /// A statement that writes is running, and calls a function.
  case inWritingFunction
  /// A statement is running, and compares by a collation.
  case inCollation
  /// It is inside of a transaction.
  case inTransaction
  /// The database can only be read.
  case readOnly
  /// Another connection is writing, and this one does not wait.
  case busy
  /// There are no tables.
  case withoutTables
  /// The connection is closed.
  case closed
}

/// A public member, and what it throws in which situation; in all others it gives a value.
struct ModelEntry: Sendable {
  /// Its base name.
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
  /// It says what it knows without the database.
  static let never: Self = [:]
  /// It asks SQLite, and needs no table.
  static let asks: Self = [.closed: .misuse, .inCollation: .misuse]
  /// It reads rows.
  static let reads = asks.but([.withoutTables: .error])
  /// It changes rows by one statement.
  static let changes = reads.but([.readOnly: .readOnly, .busy: .busy])
  /// It changes rows by several statements, all or none of them.
  static let changesAll = changes.but([.inWritingFunction: .misuse])
  /// It makes a table what a model is, which no transaction can be around.
  static let migrates: Self = [
    .closed: .misuse, .inCollation: .misuse, .inWritingFunction: .misuse, .inTransaction: .misuse,
    .readOnly: .readOnly, .busy: .busy,
  ]

  func but(_ others: Self) -> Self { merging(others) { $1 } }

  func without(_ situation: ModelSituation) -> Self {
    filter { $0.key != situation }
  }
}
