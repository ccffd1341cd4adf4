import SluiceCore

extension Connection {
  /// Runs `body`, and then restores the connection options that `body` may change.
  ///
  /// If `isChecked` is true, foreign keys are not enforced meanwhile. The closure that `body` receives then throws if
  /// a foreign key is violated, unless the connection does not enforce them.
  func restoringSwitches<T>(
    checkingForeignKeys isChecked: Bool, _ body: (_ check: () throws -> Void) throws -> T
  ) throws -> T {
    let switches: [ConnectionOption] = [
      .foreignKeys, .legacyAlterTable, .writableSchema, .trustedSchema,
    ]
    let before = try switches.map { try ($0, option($0)) }
    func restore() throws {
      for (aSwitch, wasOn) in before where try option(aSwitch) != wasOn {
        try setOption(aSwitch, wasOn)
      }
    }
    let value: T
    do {
      let isEnforcing = try option(.foreignKeys)
      // SQLite ignores this change inside a transaction, so it precedes `body`.
      if isChecked { try setOption(.foreignKeys, false) }
      value = try body { if isChecked && isEnforcing { try checkForeignKeys() } }
    } catch {
      // If restoring fails, report the original error.
      try? restore()
      throw error
    }
    try restore()
    return value
  }

  /// Throws if a row of the main database refers to a missing row.
  func checkForeignKeys() throws {
    let check = try prepare(sql: "PRAGMA main.foreign_key_check")
    guard let row = try check.step() else { return }
    let (child, parent) = try (row.text(at: 0), row.text(at: 2))
    // A `WITHOUT ROWID` table has no rowid to report.
    let rowid = try row.optional(.int64, at: 1).map { "row \($0)" } ?? "a row"
    throw SQLiteError(
      .constraintForeignKey,
      "foreign keys: \(rowid) of \"\(child)\" refers to a missing row of \"\(parent)\"")
  }
}
