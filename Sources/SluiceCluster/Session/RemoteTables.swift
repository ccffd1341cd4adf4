import SluiceCore

/// The local virtual tables through which the statements of a connection reach the cluster.
///
/// The SQL and its parameters are the arguments of a table that is read, or the values of a row that is written. With them
/// comes a number for the columns that are expected, or the number of parameters. Each table exists in two sizes, because
/// SQLite would otherwise spend time on thousands of unused columns. The large table of rows has packs of parameters.
package enum RemoteTables {
  /// The number of columns and parameters of a table.
  package struct Size {
    package let columns: Int
    package let parameters: Int
    let suffix: String

    /// With the SQL and its size, 14 parameters are 16 arguments: see ``ParameterPack``.
    static let small = Size(columns: 24, parameters: 14, suffix: "")
    static let large = Size(columns: 1_700, parameters: 255, suffix: "_large")

    package static func fitting(columns: Int, parameters: Int) -> Size {
      columns <= small.columns && parameters <= small.parameters ? small : large
    }

    /// Whether the parameters are arguments in packs.
    var hasPacks: Bool { parameters > Size.small.parameters }

    /// The number of arguments with parameters.
    package var argumentCount: Int {
      hasPacks ? (parameters + ParameterPack.size - 1) / ParameterPack.size : parameters
    }
  }

  /// The name of the table with the rows that the cluster returns.
  package static func rows(_ size: Size) -> String { "sluice_rows\(size.suffix)" }
  /// The name of the table whose insertion runs a statement without rows.
  package static func writes(_ size: Size) -> String { "sluice_write\(size.suffix)" }
  /// The statement that makes the local transaction begin one on the leader.
  static let join = "INSERT INTO sluice_write(text) VALUES (NULL)"

  /// Adds the tables to a connection.
  static func add(to connection: Connection, of session: ClusterSession) throws {
    for size in [Size.small, .large] {
      try connection.addModule(rows(size), as: .eponymousOnly) { [unowned session] _ in
        RowsTable(session, size)
      }
      try connection.addModule(writes(size), as: .eponymous) { [unowned session] _ in
        WriteTable(session, size)
      }
    }
  }
}

/// A table whose rows are those that the leader returns for an SQL text with parameters.
private final class RowsTable: VirtualTable {
  private unowned let session: ClusterSession
  private let size: RemoteTables.Size

  init(_ session: ClusterSession, _ size: RemoteTables.Size) {
    self.session = session
    self.size = size
  }

  var schema: VirtualTableSchema {
    let columns = (0..<size.columns).map { VirtualTableSchema.Column.column("c\($0)") }
    let parameters = (1...size.argumentCount).map { VirtualTableSchema.Column.hidden("p\($0)") }
    return VirtualTableSchema(columns + [.hidden("text"), .hidden("size")] + parameters)
  }

  func plan(_ query: borrowing VirtualTableQuery) -> VirtualTablePlan? {
    var plan = VirtualTablePlan(estimatedCost: 1, estimatedRows: 1_000)
    let given = query.constraints.filter { $0.operation == .equal && $0.isUsable }
      .sorted { $0.column ?? 0 < $1.column ?? 0 }
    for constraint in given where constraint.column ?? 0 >= size.columns {
      plan.use(constraint, isEnforced: true)
    }
    return plan
  }

  func cursor() -> Cursor { Cursor(session, size) }

  final class Cursor: VirtualTableCursor {
    private unowned let session: ClusterSession
    private let size: RemoteTables.Size
    private var rows: ResultRows?
    private(set) var isAtEnd = true
    private(set) var rowid: Int64 = 0

    init(_ session: ClusterSession, _ size: RemoteTables.Size) {
      self.session = session
      self.size = size
    }

    deinit { rows?.close() }

    func filter(_ filter: borrowing VirtualTableFilter) throws {
      isAtEnd = true
      rows?.close()
      rows = nil
      let text = try filter.arguments.text(at: 0)
      let columns = try Int(filter.arguments.integer(at: 1))
      let arguments = try (2..<filter.arguments.count).map { try filter.arguments[$0] }
      let values = size.hasPacks ? arguments.flatMap(unpacked) : arguments
      rows = try session.rows(of: text, values, columns: columns)
      rowid = 0
      try next()
    }

    private func unpacked(_ argument: DatabaseValue) -> [DatabaseValue] {
      if case .blob(let pack) = argument { ParameterPack.values(in: pack) } else { [] }
    }

    func next() throws {
      isAtEnd = try rows?.next() != true
      rowid &+= 1
    }

    func column(_ index: Int) throws -> DatabaseValue {
      guard let rows, index < rows.width else { return .null }
      return try rows.value(at: index)
    }
  }
}

/// A table to which a row with an SQL text and its parameters is added to run the text on the leader.
///
/// The table follows the local transaction: the leader's transaction begins, commits and ends with it.
private final class WriteTable: WritableVirtualTable {
  private unowned let session: ClusterSession
  private let size: RemoteTables.Size

  init(_ session: ClusterSession, _ size: RemoteTables.Size) {
    self.session = session
    self.size = size
  }

  var schema: VirtualTableSchema {
    VirtualTableSchema(["text", "size"] + (1...size.parameters).map { .column("p\($0)") })
  }

  func insert(_ row: borrowing VirtualTableRow, key: Int64?) throws -> Int64 {
    guard try row.values.storageClass(at: 0) != .null else { return session.lastInsertRowid }
    let text = try row.values.text(at: 0)
    let count = try Int(row.values.integer(at: 1))
    let values = try (0..<count).map { try row.values[2 + $0] }
    return try session.write(text, values)
  }

  func update(_ key: Int64, to row: borrowing VirtualTableRow, newKey: Int64) throws {
    throw SQLiteError(.readOnly, "This table can only be inserted into")
  }

  func delete(_ key: Int64) throws {
    throw SQLiteError(.readOnly, "This table can only be inserted into")
  }

  func begin() throws { try session.begin() }
  func sync() throws { try session.commit() }
  func commit() {}
  func rollback() { session.rollback() }
  func savepoint(_ number: Int) { session.savepoint(number) }
  func release(_ number: Int) throws { try session.release(number) }
  func rollback(to number: Int) throws { try session.rollback(to: number) }

  func cursor() -> NoRows { NoRows() }

  final class NoRows: VirtualTableCursor {
    let isAtEnd = true
    let rowid: Int64 = 0
    func filter(_ filter: borrowing VirtualTableFilter) {}
    func next() {}
    func column(_ index: Int) -> DatabaseValue { .null }
  }
}
