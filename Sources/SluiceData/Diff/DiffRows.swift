import SluiceCore

/// The rows of a table in one of two databases.
struct DiffRows {
  let name: String
  /// The database and the table, quoted.
  let source: String
  /// The columns whose values are stored.
  let columns: [String]
  /// The primary key; empty if the rowid identifies a row.
  let key: [KeyColumn]
  /// The name of the rowid, unless a column contains it.
  let rowid: String?
  /// Whether a row with NULL in its primary key can exist, so that the key may not identify rows.
  let hasOptionalKey: Bool
  /// Whether a rowid or key identifies the rows.
  let isAddressable: Bool
  /// The columns whose values are unique, or nil if every column can affect the uniqueness of rows.
  let uniqueColumns: Set<String>?
  /// Whether the table has an `AUTOINCREMENT` key.
  let isAutoincrement: Bool

  /// A column of a primary key.
  struct KeyColumn {
    let name: String
    /// The collation of the index that enforces the key, or nil if there is none.
    let collation: String?
    /// Whether the index has another collation than the column.
    let isSpecial: Bool

    /// The column in a comparison with a literal.
    var compared: String {
      name.quotedName + (isSpecial ? collation.map { " COLLATE \($0.quotedName)" } ?? "" : "")
    }
  }

  init(_ info: TableInfo, _ database: String, _ connection: Connection) throws {
    name = info.name
    source = "\(database.quotedName).\(info.name.quotedName)"
    let all = try connection.columns(of: info.name, database: database)
    let indexes = try connection.indexes(of: info.name, database: database)
    columns = all.filter { $0.kind == .ordinary }.map(\.name)
    isAutoincrement = all.contains(where: \.isAutoincrement)
    let primaryKey = indexes.first { $0.origin == .primaryKey }
    let keys = all.filter { $0.primaryKeyPosition != nil }
      .sorted { ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0) }
    key = keys.map { column in
      let term = primaryKey?.terms.first { $0.column.map(foldedName) == foldedName(column.name) }
      return KeyColumn(
        name: column.name, collation: term?.collation,
        isSpecial: term.map { foldedName($0.collation) != foldedName(column.collation ?? "binary") }
          ?? false)
    }
    // Without an index, the key is the rowid, which is never NULL.
    hasOptionalKey =
      !info.isWithoutRowid && primaryKey != nil && keys.contains { !$0.isNotNull }
    rowid =
      info.isWithoutRowid || (!keys.isEmpty && primaryKey == nil)
      ? nil : rowidName(besides: all.map(\.name))
    isAddressable = !keys.isEmpty && !hasOptionalKey || rowid != nil
    uniqueColumns = Self.uniqueColumns(indexes, Set(columns.map(foldedName)))
  }

  init(
    virtual info: TableInfo, _ database: String, _ connection: Connection, isKeyFirst: Bool
  ) throws {
    name = info.name
    source = "\(database.quotedName).\(info.name.quotedName)"
    columns = try connection.columns(of: info.name, database: database)
      .filter { $0.kind != .hidden }.map(\.name)
    key =
      isKeyFirst
      ? columns.prefix(1).map { KeyColumn(name: $0, collation: nil, isSpecial: false) } : []
    rowid = isKeyFirst ? nil : "rowid"
    hasOptionalKey = false
    isAddressable = true
    uniqueColumns = []
    isAutoincrement = false
  }

  private static func uniqueColumns(
    _ indexes: [IndexInfo], _ stored: Set<String>
  ) -> Set<String>? {
    var columns: Set<String> = []
    for index in indexes where index.isUnique {
      let names = Set(index.terms.compactMap(\.column).map(foldedName))
      // An expression, a condition or a generated column can depend on any column.
      guard !index.isPartial, names.count == index.terms.count, names.isSubset(of: stored) else {
        return nil
      }
      columns.formUnion(names)
    }
    return columns
  }

  /// Returns whether a row has NULL in its primary key.
  func hasNullKey(_ connection: Connection) throws -> Bool {
    guard hasOptionalKey else { return false }
    let conditions = key.map { "\($0.name.quotedName) IS NULL" }.joined(separator: " OR ")
    return try connection.first(
      .column(.int), sql: "SELECT 1 FROM \(source) WHERE \(conditions) LIMIT 1") != nil
  }
}
