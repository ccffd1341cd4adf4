import Sluice
import SluiceData
import SluiceSQL

/// The report of ``SchemaCommand``, with the structure of the JSON output.
struct SchemaReport: Encodable {
  let tables: [Table]

  /// A table or view.
  struct Table: Encodable {
    let name: String
    /// The kind: `table`, `view` or `virtual`.
    let kind: String
    let isStrict: Bool
    let isWithoutRowid: Bool
    let sql: String
    var columns: [Column] = []
    var foreignKeys: [ForeignKey] = []
    var indexes: [Index] = []
    var triggers: [Trigger] = []
    /// The reason why SQLite cannot list the columns.
    var problem: String?
  }

  struct Column: Encodable {
    let name: String
    let type: String?
    let isNotNull: Bool
    let defaultSQL: String?
    let primaryKeyPosition: Int?
    let isGenerated: Bool
    let isHidden: Bool
    let collation: String?
  }

  struct ForeignKey: Encodable {
    let columns: [String]
    let table: String
    let referencedColumns: [String]
    let onUpdate: String
    let onDelete: String
  }

  struct Index: Encodable {
    let name: String
    /// The origin of the index: `statement`, `unique` or `primaryKey`.
    let origin: String
    let isUnique: Bool
    let isPartial: Bool
    let terms: [Term]
    let sql: String?
  }

  struct Term: Encodable {
    /// The name of the column; nil for an expression.
    let column: String?
    let isDescending: Bool
    let collation: String
  }

  struct Trigger: Encodable {
    let name: String
    let sql: String
  }
}

extension SchemaReport {
  /// Reads the tables and views with these names, or all except the record of migrations if `names` is empty.
  init(of connection: Connection, only names: [String]) throws {
    let objects = try connection.schemaObjects()
    let infos = try connection.tables().filter { $0.kind != .shadow }
    let chosen =
      names.isEmpty
      ? infos.filter { !$0.isMigrationRecord }
      : try names.map { try Self.table($0, connection, infos) }
    tables = try chosen.map { try Table(of: connection, $0, objects) }
  }

  /// Returns the names of tables as the database spells them; throws if one does not exist.
  static func tables(of connection: Connection, _ names: [String]) throws -> [String] {
    let infos = try connection.tables().filter { $0.kind != .shadow }
    return try names.map { try table($0, connection, infos).name }
  }

  private static func table(
    _ name: String, _ connection: Connection, _ infos: [TableInfo]
  ) throws -> TableInfo {
    if let found = try connection.table(named: name) { return found }
    throw Failure.missing(table: name, among: infos)
  }
}

extension SchemaReport.Table {
  fileprivate init(
    of connection: Connection, _ info: TableInfo, _ objects: [SchemaObject]
  ) throws {
    name = info.name
    kind = info.kind.rawValue
    isStrict = info.isStrict
    isWithoutRowid = info.isWithoutRowid
    let own = objects.filter { $0.table.lowercased() == info.name.lowercased() }
    sql = own.first { $0.kind == .table || $0.kind == .view }?.sql ?? ""
    triggers = own.filter { $0.kind == .trigger }.map { .init(name: $0.name, sql: $0.sql) }
    do {
      columns = try connection.columns(of: name).map(SchemaReport.Column.init)
      guard info.kind != .view else { return }
      foreignKeys = try connection.foreignKeys(of: name).map(SchemaReport.ForeignKey.init)
      indexes = try connection.indexes(of: name).map { index in
        SchemaReport.Index(index, own.first { $0.kind == .index && $0.name == index.name }?.sql)
      }
    } catch let error as SQLiteError where [.error, .notFound].contains(error.code.primary) {
      // A view may refer to a missing table, and a virtual table may need a module that only an app registers.
      // Still report the rest of the schema.
      problem = error.message.withOptions
    }
  }
}

extension SchemaReport.Column {
  fileprivate init(_ column: ColumnInfo) {
    name = column.name
    type = column.declaredType
    isNotNull = column.isNotNull
    defaultSQL = column.defaultSQL
    primaryKeyPosition = column.primaryKeyPosition
    isGenerated = column.kind == .virtualGenerated || column.kind == .storedGenerated
    isHidden = column.kind == .hidden
    collation = column.collation
  }
}

extension SchemaReport.ForeignKey {
  fileprivate init(_ key: ForeignKeyInfo) {
    columns = key.columns
    table = key.referencedTable
    referencedColumns = key.referencedColumns
    onUpdate = key.onUpdate.rawValue
    onDelete = key.onDelete.rawValue
  }
}

extension SchemaReport.Index {
  fileprivate init(_ index: IndexInfo, _ sql: String?) {
    name = index.name
    origin = "\(index.origin)"
    isUnique = index.isUnique
    isPartial = index.isPartial
    terms = index.terms.map {
      .init(column: $0.column, isDescending: $0.isDescending, collation: $0.collation)
    }
    self.sql = sql
  }
}
