// Statements after which more has to be done than to end them.
extension Statement {
  /// Whether a statement changes the names of tables, or begins or ends a savepoint.
  static func hasAftermath(_ sql: String, isWriter: Bool, columnCount: Int) -> Bool {
    if isWriter { return StatementCache.changesNames(sql) }
    return columnCount == 0 && SavepointStep.mayBe(in: sql)
  }

  /// Takes note of other names of tables, or of a savepoint that has begun or ended.
  @inline(never)
  func settleAftermath(isWriter: Bool) {
    if isWriter {
      connection.expireStatements()
      state.transactionWatch?.forgetNames()
    } else if let step = SavepointStep(sql: sql) {
      connection.transactionWatch.apply(step)
    }
  }
}
