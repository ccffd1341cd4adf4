/// A kind of work during which a connection calls code of the program.
///
/// The property `refused` lists the operations that a frame refuses. Inside nested frames, an operation is
/// refused if at least one of these frames refuses it.
package enum CallFrame: UInt, CaseIterable, Sendable {
  /// No frame that refuses an operation: no call, or a call such as `sqlite3_step`, which runs functions and virtual tables.
  case idle
  /// A statement is prepared or a virtual table is created; both operations use modules.
  case compile
  /// A virtual table connects while a statement is prepared.
  case connect
  /// A virtual table plans a query.
  case plan
  /// The handler for unknown collations runs.
  case supplyCollation
  /// A collation compares two strings.
  case compare
  /// A hook, an authorizer, a busy handler or the filter of a session runs.
  case hook
  /// An FTS5 tokenizer runs.
  case tokenizer
  /// A file system in Swift runs; this frame belongs to the thread, not to a connection.
  case fileSystem
  /// A closure that was passed to `apply` runs: a stream, a filter or the conflict handler.
  case apply
  /// An observer of commits to a WAL runs, after the commit.
  case afterCommit
  /// A closure borrows the bytes of a database.
  case lend
  /// A backup writes into the connection.
  case restore
}

/// Operations that a frame can refuse.
package struct Operations: OptionSet, Sendable {
  package let rawValue: UInt
  package init(rawValue: UInt) { self.rawValue = rawValue }

  /// Executing a statement, and every operation that has no separate option below.
  ///
  /// While this operation is refused, finalizing statements is deferred.
  package static let use = Operations(rawValue: 1)
  /// Adding a collation.
  package static let addCollation = Operations(rawValue: 2)
  /// Writing, changing the schema, beginning or ending a transaction.
  package static let write = Operations(rawValue: 4)
  /// Adding or removing a module for virtual tables.
  package static let changeModules = Operations(rawValue: 8)

  /// Ending the transaction with SQL.
  package static let endTransaction = Operations(rawValue: 16)

  package static let all: Operations = [
    .use, .addCollation, .write, .changeModules, .endTransaction,
  ]
}

extension CallFrame {
  /// The operations that the frame refuses.
  @inline(__always)
  package var refused: Operations {
    switch self {
    case .idle, .afterCommit: []
    case .compile: .changeModules
    case .connect: [.write, .changeModules]
    case .supplyCollation: [.use, .write, .changeModules]
    case .apply: .endTransaction
    case .plan, .compare, .hook, .tokenizer, .fileSystem, .lend, .restore: .all
    }
  }

  /// The error that an operation throws if the frame refuses it; nil if the frame allows every operation.
  package var refusal: SQLiteError? {
    let message =
      switch self {
      case .idle, .afterCommit: nil as String?
      case .compile:
        "A module cannot be added or removed while a statement is prepared or a virtual table is created"
      case .connect: "A virtual table can only read while it connects"
      case .plan: "A virtual table cannot use its connection while it plans a query"
      case .supplyCollation: "A handler for unknown collations can only add collations"
      case .compare: "A collation cannot use its connection"
      case .hook: "A hook cannot use its connection"
      case .tokenizer: "A tokenizer cannot use its connection"
      case .fileSystem: "A file system cannot use a connection that calls it"
      case .apply: "A closure cannot end the transaction in which changes are applied"
      case .lend: "The connection cannot be used while a closure reads the bytes of its database"
      case .restore: "The connection cannot be used while a backup writes into it"
      }
    return message.map { SQLiteError(self == .compile ? .busy : .misuse, $0) }
  }
}
