public import Foundation
public import SluiceCore

/// Importing rows from files.
///
/// The rows are imported in one transaction, or in a savepoint if a transaction is open. If the import fails, nothing
/// is changed. Memory is constant: it does not depend on the size of the file.
///
/// If the table exists, columns of the file belong to the columns of the table with the same names, and the table's
/// other columns get their default values. The values of generated columns are skipped. The columns of a CSV file
/// without names belong to the columns of the table in order. If the table does not exist, it is created as a strict
/// table with a type for each column that fits all its values: `INTEGER`, `REAL` or `TEXT`, or `ANY` for JSON with
/// numbers and text. A number with leading zeros or a plus sign is text, as is one with more digits than a number can
/// store.
///
/// In a column whose declared type contains `BLOB`, text is decoded as `blobs` specifies. Objects and arrays in JSON
/// are stored as JSON text, and `true` and `false` as 1 and 0.
extension Connection {
  /// Imports the rows of a file into a table, which is created if it does not exist.
  ///
  /// ```swift
  /// let result = try connection.importRows(from: url, into: "person", key: ["id"])
  /// print(result.rowCount)
  /// ```
  ///
  /// - Parameters:
  ///   - url: The URL of a file.
  ///   - format: The format of the file; nil for the format that the file's extension denotes.
  ///   - table: The name of the table.
  ///   - database: The name of the database that contains the table.
  ///   - key: Columns with a unique constraint. A row whose key exists in the table updates that row, and a row
  ///     whose key is NULL or is not stored exactly is refused. In a new table, these columns are the primary key.
  ///   - types: The types of columns in a new table, in place of the types that fit the values.
  ///   - ignoresUnknownColumns: Whether to skip columns that the table does not have, instead of throwing.
  ///   - blobs: The encoding of blobs in the file.
  ///   - refusals: The treatment of rows that cannot be imported.
  ///   - progress: A closure that is called after each 128 KB, and at the end. If it throws, the import is rolled
  ///     back.
  /// - Returns: The final progress.
  /// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened or belongs to a database of this connection,
  ///   ``ResultCode/mismatch`` if its content is not in the format, and the error of the first refused row if `refusals`
  ///   is ``RefusalPolicy/stop``.
  @discardableResult
  public func importRows(
    from url: URL, as format: DataFormat? = nil, into table: String, database: String = "main",
    key: [String] = [], types: [String: StorageClass] = [:], ignoresUnknownColumns: Bool = false,
    blobs: BlobEncoding = .base64, refusals: RefusalPolicy = .stop,
    progress: ((DataProgress) throws -> Void)? = nil
  ) throws -> DataProgress {
    try refuseOwnFile(url)
    return try importRows(
      from: ImportSource(url, DataFormat.chosen(format, for: url)), into: table,
      database: database, key: key, types: types, ignoresUnknownColumns: ignoresUnknownColumns,
      blobs: blobs, refusals: refusals, progress: progress)
  }

  /// Imports the rows in a sequence of chunks of bytes, which can end anywhere.
  ///
  /// The sequence is read once. The types for a new table fit the rows in the first 4 MB; later rows that do not fit
  /// are refused. In all other respects, this method behaves like
  /// ``importRows(from:as:into:database:key:types:ignoresUnknownColumns:blobs:refusals:progress:)-(URL,_,_,_,_,_,_,_,_,_)``.
  @discardableResult
  public func importRows(
    from chunks: some Sequence<some Sequence<UInt8>>, as format: DataFormat, into table: String,
    database: String = "main", key: [String] = [], types: [String: StorageClass] = [:],
    ignoresUnknownColumns: Bool = false, blobs: BlobEncoding = .base64,
    refusals: RefusalPolicy = .stop, progress: ((DataProgress) throws -> Void)? = nil
  ) throws -> DataProgress {
    var iterator = chunks.makeIterator()
    return try importRows(
      from: ImportSource(format) { iterator.next().map { Array($0) } }, into: table,
      database: database, key: key, types: types, ignoresUnknownColumns: ignoresUnknownColumns,
      blobs: blobs, refusals: refusals, progress: progress)
  }

  package func importRows(
    from source: ImportSource, into table: String, database: String = "main", key: [String],
    types: [String: StorageClass], ignoresUnknownColumns: Bool, blobs: BlobEncoding,
    refusals: RefusalPolicy, progress: ((DataProgress) throws -> Void)?
  ) throws -> DataProgress {
    try Import(
      source: source, table: table, database: database, key: key, types: types,
      ignoresUnknownColumns: ignoresUnknownColumns, blobs: blobs, progress: progress
    ).run(on: self, Refusals(refusals, on: self))
  }
}

/// An import with its settings.
private struct Import {
  let source: ImportSource
  let table: String
  let database: String
  let key: [String]
  let types: [String: StorageClass]
  let ignoresUnknownColumns: Bool
  let blobs: BlobEncoding
  let progress: ((DataProgress) throws -> Void)?

  func run(on connection: Connection, _ refusals: Refusals) throws -> DataProgress {
    do {
      let result = try runInTransaction(on: connection, refusals)
      try refusals.publish()
      return result
    } catch {
      refusals.abandon()
      throw error
    }
  }

  private func runInTransaction(
    on connection: Connection, _ refusals: Refusals
  ) throws -> DataProgress {
    guard !table.isEmpty else { throw SQLiteError(.misuse, "The name of the table is empty") }
    return try connection.transaction(.immediate) { connection in
      var state = DataProgress()
      state.totalByteCount = source.size
      var rows: any ImportRows
      if try connection.table(named: table, database: database) == nil {
        rows = try create(on: connection, &state)
      } else {
        guard types.isEmpty else {
          throw SQLiteError(.misuse, "The table \"\(table)\" exists, so its types cannot be chosen")
        }
        rows = try source.rows()
      }
      try insert(&rows, on: connection, refusals, &state)
      try refusals.finish()
      return state
    }
  }

  /// Creates the table, and returns the rows to import.
  private func create(
    on connection: Connection, _ state: inout DataProgress
  ) throws -> any ImportRows {
    if !source.isReadOnce { state.totalByteCount = source.size.map { $0 * 2 } }
    var new = NewTable(key: key)
    let (names, rows) = try source.looking { columns, values, byteCount in
      new.add(columns, values)
      guard byteCount != state.byteCount else { return }
      try Task.checkCancellation()
      // Deadlines stop a statement, and no other statement runs here.
      try connection.execute("SELECT 1")
      guard !source.isReadOnce else { return }
      state.byteCount = byteCount
      try progress?(state)
    }
    if !source.isReadOnce, let size = source.size { state.byteCount = size }
    try connection.execute(
      sql: new.sql(
        database.quotedName + "." + table.quotedName, names: names,
        isRectangular: rows.isRectangular, types: types))
    return rows
  }

  private func insert(
    _ rows: inout any ImportRows, on connection: Connection, _ refusals: Refusals,
    _ state: inout DataProgress
  ) throws {
    var table = try ImportTable(
      table, on: connection, database: database, key: key, blobs: blobs,
      ignoresUnknownColumns: ignoresUnknownColumns)
    // A header that does not fit the table concerns all rows, so it is not a reason to refuse each of them.
    if rows.isRectangular, !rows.names.isEmpty {
      try table.prepare(Array(rows.names.indices), rows.names)
    }
    let undoesRows = try refusals.continues && canFail(on: connection)
    let start = state.byteCount
    var columns: [Int] = []
    var values: [ImportValue] = []
    while try rows.advance() {
      do {
        try rows.read(&columns, &values)
        try table.prepare(columns, rows.names)
        if undoesRows {
          try connection.transaction { _ in try table.insert(values) }
        } else {
          try table.insert(values)
        }
        state.rowCount += 1
      } catch let error as SQLiteError where error.isRefusal {
        // A constraint can also roll back the transaction, which ends the import.
        guard !connection.isInAutocommit else { throw error.onLine(rows.line) }
        try refusals.add(RefusedRow(line: rows.line, error: error, bytes: rows.bytes))
        state.refusedCount = refusals.count
      }
      guard start + rows.byteCount != state.byteCount else { continue }
      try Task.checkCancellation()
      state.byteCount = start + rows.byteCount
      try progress?(state)
    }
    state.byteCount = start + rows.byteCount
    try progress?(state)
  }

  /// Returns whether a trigger or a conflict clause may refuse a row with `FAIL`, which keeps earlier changes.
  private func canFail(on connection: Connection) throws -> Bool {
    let schemas = [database.quotedName + ".sqlite_schema", "sqlite_temp_schema"]
    return try schemas.contains { schema in
      try connection.first(
        .column(.int), sql: "SELECT 1 FROM \(schema) WHERE instr(upper(sql), 'FAIL') > 0") != nil
    }
  }
}
