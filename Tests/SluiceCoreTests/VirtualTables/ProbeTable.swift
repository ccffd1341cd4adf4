import SluiceCore

/// The calls that SQLite makes to a virtual table.
enum Callback: CaseIterable, Sendable {
  case make, schema, plan, function, cursor, filter, next, column, rowid
  case insert, update, delete, begin, sync, savepoint, release, rollbackTo, rename, destroy
  case commit, rollback

  /// The calls that can throw.
  static let throwing = allCases.filter { ![.function, .commit, .rollback].contains($0) }
}

/// A recorder of the calls to a virtual table, which can run a test's action during a call.
final class Probe {
  private(set) var calls: [Callback] = []
  private var wanted: Callback?
  private var act: (() throws -> Void)?
  private var isLasting = false

  /// Runs `act` only during the next call of a kind.
  func at(_ callback: Callback, _ act: @escaping () throws -> Void) {
    wanted = callback
    self.act = act
  }

  /// Runs `act` during each call of a kind.
  func atEach(_ callback: Callback, _ act: @escaping () throws -> Void) {
    at(callback, act)
    isLasting = true
  }

  func note(_ callback: Callback) throws {
    calls.append(callback)
    guard callback == wanted, let act else { return }
    if !isLasting { self.act = nil }
    try act()
  }

  var hasActed: Bool { wanted != nil && act == nil }
}

/// A table with three rows, which reports each call to a probe.
final class ProbeTable: WritableVirtualTable {
  private let probe: Probe
  private let held: AnyObject?
  private var rows: [Int64: DatabaseValue] = [1: "a", 2: "b", 3: "c"]

  init(_ probe: Probe, held: AnyObject? = nil) throws {
    self.probe = probe
    self.held = held
    try probe.note(.make)
  }

  /// Adds the module `probe`, whose tables report to the probe.
  static func add(
    to connection: Connection, _ probe: Probe, as use: VirtualTableUse = .created,
    hold: @escaping () -> AnyObject? = { nil }
  ) throws {
    try connection.addModule("probe", as: use) { _ in try ProbeTable(probe, held: hold()) }
  }

  var schema: VirtualTableSchema {
    get throws {
      try probe.note(.schema)
      return ["a"]
    }
  }

  func plan(_ query: borrowing VirtualTableQuery) throws -> VirtualTablePlan? {
    try probe.note(.plan)
    return VirtualTablePlan(estimatedCost: 3)
  }

  func cursor() throws -> Cursor {
    try probe.note(.cursor)
    return Cursor(probe, held, rows.sorted { $0.key < $1.key })
  }

  func function(_ name: String, arity: Int) -> VirtualTableFunction? {
    // This method cannot throw; tests check the effect of the probe's action.
    try? probe.note(.function)
    return nil
  }

  func rename(to name: String) throws { try probe.note(.rename) }
  func destroy() throws { try probe.note(.destroy) }

  func insert(_ row: borrowing VirtualTableRow, key: Int64?) throws -> Int64 {
    try probe.note(.insert)
    let key = key ?? (rows.keys.max() ?? 0) + 1
    rows[key] = try row.values[0]
    return key
  }

  func update(_ key: Int64, to row: borrowing VirtualTableRow, newKey: Int64) throws {
    try probe.note(.update)
    rows[key] = nil
    rows[newKey] = try row.values[0]
  }

  func delete(_ key: Int64) throws {
    try probe.note(.delete)
    rows[key] = nil
  }

  func begin() throws { try probe.note(.begin) }
  func sync() throws { try probe.note(.sync) }
  // These two methods cannot throw either, so an error of the probe is dropped.
  func commit() { try? probe.note(.commit) }
  func rollback() { try? probe.note(.rollback) }
  func savepoint(_ number: Int) throws { try probe.note(.savepoint) }
  func release(_ number: Int) throws { try probe.note(.release) }
  func rollback(to number: Int) throws { try probe.note(.rollbackTo) }

  final class Cursor: VirtualTableCursor {
    private let probe: Probe
    private let held: AnyObject?
    private let rows: [(key: Int64, value: DatabaseValue)]
    private var position = 0

    init(_ probe: Probe, _ held: AnyObject?, _ rows: [(key: Int64, value: DatabaseValue)]) {
      self.probe = probe
      self.held = held
      self.rows = rows
    }

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      try probe.note(.filter)
      position = 0
    }

    func next() throws {
      try probe.note(.next)
      position += 1
    }

    var isAtEnd: Bool { position >= rows.count }

    func column(_ index: Int) throws -> DatabaseValue {
      try probe.note(.column)
      return rows[position].value
    }

    var rowid: Int64 {
      get throws {
        try probe.note(.rowid)
        return rows[position].key
      }
    }
  }
}

extension Callback {
  /// SQL that makes SQLite call this callback on the table `p`, inside a transaction.
  var sql: String {
    switch self {
    case .make, .schema: "CREATE VIRTUAL TABLE q USING probe"
    case .plan, .cursor, .filter, .next, .column: "SELECT a FROM p"
    case .rowid: "SELECT rowid FROM p"
    case .function: "SELECT like(a, 'x') FROM p"
    case .insert, .begin: "INSERT INTO p VALUES ('d')"
    case .update: "UPDATE p SET a = 'x' WHERE a = 'b'"
    case .delete: "DELETE FROM p"
    case .sync, .commit: "INSERT INTO p VALUES ('d'); COMMIT"
    case .rollback: "INSERT INTO p VALUES ('d'); ROLLBACK"
    case .savepoint: "INSERT INTO p VALUES ('d'); SAVEPOINT s"
    case .release: "INSERT INTO p VALUES ('d'); SAVEPOINT s; RELEASE s"
    case .rollbackTo: "INSERT INTO p VALUES ('d'); SAVEPOINT s; ROLLBACK TO s"
    case .rename: "ALTER TABLE p RENAME TO r"
    case .destroy: "DROP TABLE p"
    }
  }
}
