import SluiceCore

/// A table in memory with any columns, which supports rollback and savepoints like an ordinary table.
final class DictionaryTable: WritableVirtualTable {
  let schema: VirtualTableSchema
  let options: VirtualTableOptions
  private var rows: [Int64: [DatabaseValue]] = [:]
  private var saved: [(number: Int, rows: [Int64: [DatabaseValue]])] = []
  private var committed: [Int64: [DatabaseValue]] = [:]

  init(_ arguments: VirtualTableArguments, options: VirtualTableOptions = .constraintSupport) {
    schema = VirtualTableSchema(arguments.values.map { .column($0) })
    self.options = options
  }

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    var plan = VirtualTablePlan(
      estimatedCost: Double(max(1, rows.count)), estimatedRows: rows.count)
    let byRowid = query.constraints.first {
      $0.isUsable && $0.column == nil && $0.operation == .equal
    }
    if let byRowid {
      plan.use(byRowid)
      plan.number = 1
      plan.isUnique = true
      plan.estimatedCost = 1
    }
    plan.isOrdered = query.order.allSatisfy { $0.column == nil && !$0.isDescending }
    return plan
  }

  func cursor() -> Cursor { Cursor(self) }

  func insert(_ row: borrowing VirtualTableRow, key: Int64?) throws -> Int64 {
    let key = try key ?? unused()
    try makeRoom(for: key, row.conflictResolution)
    rows[key] = try row.values.map { $0 }
    return key
  }

  func update(_ key: Int64, to row: borrowing VirtualTableRow, newKey: Int64) throws {
    if newKey != key { try makeRoom(for: newKey, row.conflictResolution) }
    let old = rows.removeValue(forKey: key) ?? []
    rows[newKey] = try row.values.indices.map { index in
      try row.isUnchanged(at: index) ? old[index] : row.values[index]
    }
  }

  func delete(_ key: Int64) { rows[key] = nil }

  private func unused() throws -> Int64 {
    let last = rows.keys.max() ?? 0
    guard last < .max else { throw SQLiteError(.full, "There is no key left") }
    return last + 1
  }

  private func makeRoom(for key: Int64, _ resolution: VirtualTableRow.ConflictResolution) throws {
    guard rows[key] != nil else { return }
    guard resolution == .replace else {
      throw SQLiteError(.constraintRowid, "There is a row \(key) already")
    }
    rows[key] = nil
  }

  func begin() {
    committed = rows
    saved = []
  }

  func commit() { saved = [] }

  func rollback() {
    rows = committed
    saved = []
  }

  func savepoint(_ number: Int) {
    release(number)
    saved.append((number, rows))
  }

  func release(_ number: Int) { saved.removeAll { $0.number >= number } }

  func rollback(to number: Int) {
    rows = saved.first { $0.number >= number }?.rows ?? committed
    savepoint(number)
  }

  final class Cursor: VirtualTableCursor {
    private let table: DictionaryTable
    private var rows: [(key: Int64, values: [DatabaseValue])] = []
    private var position = 0

    init(_ table: DictionaryTable) { self.table = table }

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      position = 0
      guard filter.number == 1 else {
        rows = table.rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        return
      }
      let key = Int64(databaseValue: try filter.arguments[0])
      rows = key.flatMap { key in table.rows[key].map { [(key, $0)] } } ?? []
    }

    func next() { position += 1 }
    var isAtEnd: Bool { position >= rows.count }
    func column(_ index: Int) -> DatabaseValue { rows[position].values[index] }
    var rowid: Int64 { rows[position].key }
  }
}
