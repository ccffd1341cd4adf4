import SluiceCore

extension Connection {
  /// Runs `body`, and then restores the connection options that `body` may change.
  func restoringSwitches<T>(_ body: () throws -> T) throws -> T {
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
    do { value = try body() } catch {
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
