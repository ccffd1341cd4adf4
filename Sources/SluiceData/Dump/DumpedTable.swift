import SluiceCore

/// A table whose rows a dump contains.
struct DumpedTable {
  private let name: String
  private let database: String
  /// The columns whose values are stored.
  private let columns: [String]
  /// The name of the hidden rowid; nil if the table has none, or if a column contains it.
  private let rowid: String?
  /// Whether the table has an `AUTOINCREMENT` key.
  let isAutoincrement: Bool

  /// The number of bytes after which a new `INSERT` begins.
  private static let insertSize = 1 << 14
  /// The maximum length of an `INSERT`, which is SQLite's default.
  private static let maximumLength = 1_000_000_000

  /// Reads the description of a table; `keepsRowid` is whether its hidden rowids matter.
  init(
    _ name: String, in database: String, of connection: Connection, isWithoutRowid: Bool,
    keepsRowid: Bool = true
  ) throws {
    self.name = name
    self.database = database
    let all = try connection.columns(of: name, database: database)
    columns = all.lazy.filter { $0.kind == .ordinary }.map(\.name)
    isAutoincrement = all.contains(where: \.isAutoincrement)
    let hasKey = all.contains { $0.primaryKeyPosition != nil }
    // The rowid is the primary key unless the key has an index, as that of `INTEGER PRIMARY KEY DESC` does.
    let isKey =
      try hasKey
      && !connection.indexes(of: name, database: database).contains { $0.origin == .primaryKey }
    rowid =
      keepsRowid && !isWithoutRowid && !isKey ? rowidName(besides: all.map(\.name)) : nil
  }

  /// Writes `INSERT` statements with all rows.
  ///
  /// A row states its rowid only if SQLite would assign another one.
  func writeRows(
    of connection: Connection, _ encoding: TextEncoding, to writer: inout DumpWriter
  ) throws {
    let (insert, insertWithRowid) = inserts
    let literals = RowLiterals(encoding: encoding, count: columns.count)
    var next: Int64? = 1
    var isOpen = false
    var statesRowid = false
    var start = 0
    try connection.prepare(sql: select(encoding)).forEachRow { row in
      let id = try rowid == nil ? next : row.integer(at: 0)
      if isOpen,
        id != next && !statesRowid || writer.byteCount - start > Self.insertSize
      {
        try writer.endStatement()
        isOpen = false
      }
      if isOpen {
        writer.write(",\n(")
      } else {
        isOpen = true
        start = writer.byteCount
        statesRowid = id != next
        writer.write(statesRowid ? insertWithRowid : insert)
      }
      if statesRowid, let id { writer.write("\(id),") }
      next = id.flatMap { $0 == .max ? nil : $0 + 1 }
      for index in 1...columns.count {
        if index > 1 { writer.write(",") }
        try literals.write(row, index, to: &writer)
      }
      writer.write(")")
      guard writer.byteCount - start < Self.maximumLength else {
        throw SQLiteError(
          .tooBig,
          "A row of \"\(name)\" needs a statement of more than \(Self.maximumLength) bytes, which SQLite rejects"
        )
      }
      try writer.endRow()
    }
    if isOpen { try writer.endStatement() }
  }
}

extension DumpedTable {
  /// The beginnings of an `INSERT` without and with a rowid, up to the first value.
  private var inserts: (String, String) {
    let insert = "INSERT INTO \(name.quotedName)"
    let columns = ([rowid ?? ""] + columns.map(\.quotedName)).joined(separator: ",")
    return ("\(insert) VALUES\n(", "\(insert)(\(columns)) VALUES\n(")
  }

  /// Returns the query of all rows in the order of their rowid or primary key.
  private func select(_ encoding: TextEncoding) -> String {
    var results = [rowid ?? "0"] + columns.map(\.quotedName)
    // Only a cast shows the bytes of text in UTF-16, which may be invalid.
    if encoding != .utf8 {
      results += columns.map(\.quotedName).map {
        "CASE typeof(\($0)) WHEN 'text' THEN CAST(\($0) AS BLOB) END"
      }
    }
    // An index that contains all columns would determine the order.
    let source = "\(database.quotedName).\(name.quotedName) NOT INDEXED"
    let order = rowid.map { " ORDER BY \($0)" } ?? ""
    return "SELECT \(results.joined(separator: ",")) FROM \(source)\(order)"
  }
}
