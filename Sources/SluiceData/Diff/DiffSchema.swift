import SluiceCore

/// The schema of one of two databases that are compared.
struct DiffSchema {
  let database: String
  /// The objects, except those that belong to a virtual table.
  let objects: [SchemaObject]
  /// The tables by their folded names, except shadow tables.
  let tables: [String: TableInfo]
  /// The numbers in the header of the database.
  let numbers: (userVersion: Int, applicationID: Int)
  /// Whether the database has had a table with `AUTOINCREMENT`.
  let hasSequence: Bool
  /// The full-text tables whose content is in another table.
  let followers: [String]
  private let virtual: [String: VirtualTableContent]

  init(_ connection: Connection, _ database: String) throws {
    self.database = database
    let all = try connection.schemaObjects(database: database)
    let infos = try connection.tables(database: database)
    let virtual = Dictionary(
      all.compactMap { object in
        VirtualTableContent(object).map { (foldedName(object.name), $0) }
      }
    ) { first, _ in first }
    self.virtual = virtual
    // Without the module of a virtual table, SQLite does not know its shadow tables.
    let hidden = Set(
      infos.filter { info in
        info.kind == .shadow
          || info.kind == .table
            && virtual.contains { name, content in
              content.module != "" && foldedName(info.name).hasPrefix(name + "_")
                && content.shadows.contains(foldedName(info.name).dropFirst(name.count + 1))
            }
      }.map { foldedName($0.name) })
    objects = all.filter { !hidden.contains(foldedName($0.table)) }
    tables = Dictionary(
      infos.filter {
        [.table, .virtual].contains($0.kind) && !hidden.contains(foldedName($0.name))
      }
      .map { (foldedName($0.name), $0) }
    ) { first, _ in first }
    func number(_ pragma: String) throws -> Int {
      try connection.first(.column(.int), sql: "PRAGMA \(database.quotedName).\(pragma)") ?? 0
    }
    numbers = try (number("user_version"), number("application_id"))
    hasSequence =
      try connection.first(
        .column(.int),
        sql: "SELECT 1 FROM \(database.quotedName).sqlite_master WHERE name = 'sqlite_sequence'")
      != nil
    followers = all.filter {
      $0.kind == .table && virtual[foldedName($0.name)]?.rows == .elsewhere
    }.map(\.name)
  }

  /// Returns the rows of a table, or the reason why they cannot be compared.
  func rows(of info: TableInfo, _ connection: Connection) throws -> DiffableRows {
    guard info.kind == .virtual else {
      let rows = try DiffRows(info, database, connection)
      guard !rows.columns.isEmpty, rows.isAddressable else {
        return .reason("it has no primary key, and columns have all names of the rowid")
      }
      return .rows(rows)
    }
    switch virtual[foldedName(info.name)]?.rows {
    case .rowid, .firstColumn: break
    case .elsewhere: return .reason("its content is in another table")
    case .nowhere: return .reason("it does not store its content")
    case .unknown, nil:
      return .reason("only the tables of FTS3, FTS4, FTS5 and R*Tree are compared")
    }
    do {
      return .rows(
        try DiffRows(
          virtual: info, database, connection,
          isKeyFirst: virtual[foldedName(info.name)]?.rows == .firstColumn))
    } catch let error as SQLiteError where [.error, .notFound].contains(error.code.primary) {
      return .reason(error.message)
    }
  }
}

/// The rows of a table, or the reason why they cannot be compared.
enum DiffableRows {
  case rows(DiffRows)
  case reason(String)

  var rows: DiffRows? {
    if case .rows(let rows) = self { rows } else { nil }
  }

  var reason: String? {
    if case .reason(let reason) = self { reason } else { nil }
  }
}

/// The location of the rows of a virtual table, according to its SQL.
struct VirtualTableContent {
  /// The name of the module in lowercase.
  let module: String
  let rows: Rows

  enum Rows {
    /// The table stores its rows, and the rowid identifies them.
    case rowid
    /// The table stores its rows, and the first column identifies them.
    case firstColumn
    /// Another table stores the rows.
    case elsewhere
    /// The table is only an index.
    case nowhere
    case unknown
  }

  /// Reads the SQL of a table; nil if the table is not virtual.
  init?(_ object: SchemaObject) {
    let tokens = SQLToken.tokens(of: object.sql)
    guard object.kind == .table, tokens.count > 2, tokens[1].is("virtual"),
      let using = tokens.firstIndex(where: { $0.is("using") }), using + 1 < tokens.count
    else { return nil }
    module = String(decoding: tokens[using + 1].content, as: UTF8.self)
    switch module {
    case "fts3", "fts4", "fts5": rows = Self.content(tokens[using...])
    case "rtree", "rtree_i32": rows = .firstColumn
    default: rows = .unknown
    }
  }

  private static func content(_ tokens: ArraySlice<SQLToken>) -> Rows {
    for index in tokens.indices.dropLast(2)
    where tokens[index].is("content") && tokens[index + 1].is(sign: "=") {
      return tokens[index + 2].content.isEmpty ? .nowhere : .elsewhere
    }
    return .rowid
  }

  /// The ends of the names of the tables in which the module stores its data.
  var shadows: Set<Substring> {
    switch module {
    case "fts5": ["data", "idx", "content", "docsize", "config"]
    case "fts3", "fts4": ["content", "segments", "segdir", "docsize", "stat"]
    case "rtree", "rtree_i32", "geopoly": ["node", "parent", "rowid"]
    default: []
    }
  }
}
