public import SluiceCore

extension Connection {
  /// Returns a diagram of the tables and foreign keys of a database.
  ///
  /// ```swift
  /// let diagram = try connection.schemaDiagram()
  /// print(diagram.mermaid)
  /// ```
  ///
  /// SQLite's own tables are omitted, and so are the shadow tables of virtual tables and the record of migrations,
  /// `sluice_migration`. A view or virtual table whose columns SQLite cannot list, for example because a table or
  /// module is missing, has no columns.
  ///
  /// - Parameters:
  ///   - names: The tables and views to show, or nil for all tables. A reference to an existing table that is not
  ///     shown is omitted.
  ///   - database: The database that contains the tables.
  ///   - includesViews: Whether all views are shown; has no effect if `names` is not nil.
  /// - Returns: The diagram.
  /// - Throws: ``ResultCode/error`` for a name that does not exist. ``ResultCode/range`` for an unknown database.
  public func schemaDiagram(
    of names: [String]? = nil, database: String = "main", includesViews: Bool = false
  ) throws -> SchemaDiagram {
    // All parts show the same state of the schema.
    try transaction { connection in
      try DiagramReader(connection: connection, database: database).read(names, includesViews)
    }
  }
}

extension TableInfo {
  /// Whether the table contains the record of migrations, which describes the database but not the data of the app.
  package var isMigrationRecord: Bool { foldedName(name) == "sluice_migration" }
}

/// A reader of the parts of a schema that a diagram shows.
private struct DiagramReader {
  let connection: Connection
  let database: String

  func read(_ names: [String]?, _ includesViews: Bool) throws -> SchemaDiagram {
    let all = try connection.tables(database: database)
    let shown =
      try names.map(chosen)
      ?? all.filter { info in
        info.kind != .shadow && (info.kind != .view || includesViews) && !info.isMigrationRecord
      }
    let known = Dictionary(all.map { (foldedName($0.name), $0.name) }) { first, _ in first }
    var tables: [SchemaDiagram.Table] = []
    var references: [SchemaDiagram.Reference] = []
    for info in shown {
      let parts = try self.parts(of: info)
      references += try parts.keys.map { try reference($0, parts, info.name, known) }
      tables.append(table(info, parts))
    }
    let names = Set(shown.map { foldedName($0.name) })
    references.removeAll { reference in
      let name = foldedName(reference.referencedTable)
      return known[name] != nil && !names.contains(name)
    }
    return SchemaDiagram(
      tables: tables + missingTables(references, known), references: references)
  }

  /// Returns the tables and views with these names, sorted by name, each once.
  private func chosen(_ names: [String]) throws -> [TableInfo] {
    let found = try names.map { name in
      guard let info = try connection.table(named: name, database: database) else {
        throw SQLiteError(.error, "There is no table or view \"\(name)\" in \(database)")
      }
      return info
    }
    return Set(found).sorted { $0.name < $1.name }
  }

  /// The columns, foreign keys and indexes of a table.
  private struct Parts {
    var columns: [ColumnInfo] = []
    var keys: [ForeignKeyInfo] = []
    var indexes: [IndexInfo] = []

    var primaryKey: [ColumnInfo] {
      columns.filter { $0.primaryKeyPosition != nil }
        .sorted { ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0) }
    }

    /// The sets of columns whose values are unique.
    var uniqueKeys: [Set<String>] {
      let keys = indexes.filter { $0.isUnique && !$0.isPartial }.map { $0.terms.map(\.column) }
      return keys.filter { !$0.contains(nil) }.map { Set($0.compactMap(\.self).map(foldedName)) }
        + [Set(primaryKey.map { foldedName($0.name) })].filter { !$0.isEmpty }
    }

    /// Whether the column never contains NULL: the key of rows is an integer even without `NOT NULL`.
    func isNotNull(_ column: ColumnInfo) -> Bool {
      column.isNotNull
        || (column.primaryKeyPosition != nil && primaryKey.count == 1
          && column.declaredType?.uppercased() == "INTEGER"
          && !indexes.contains { $0.origin == .primaryKey })
    }
  }

  private func parts(of info: TableInfo) throws -> Parts {
    do {
      let columns = try connection.columns(of: info.name, database: database)
      guard info.kind == .table else { return Parts(columns: columns) }
      return try Parts(
        columns: columns, keys: connection.foreignKeys(of: info.name, database: database),
        indexes: connection.indexes(of: info.name, database: database))
    } catch let error as SQLiteError where [.error, .notFound].contains(error.code.primary) {
      // A view may refer to a missing table, and a virtual table may need a module that only an app registers.
      return Parts()
    }
  }

  private func table(_ info: TableInfo, _ parts: Parts) -> SchemaDiagram.Table {
    let foreign = Set(parts.keys.flatMap(\.columns).map(foldedName))
    let unique = Set(parts.uniqueKeys.filter { $0.count == 1 }.flatMap(\.self))
    let kind: SchemaDiagram.Table.Kind =
      switch info.kind {
      case .view: .view
      case .virtual: .virtual
      case .table, .shadow: .table
      }
    let columns = parts.columns.filter { $0.kind != .hidden }.map { column in
      SchemaDiagram.Column(
        name: column.name, type: column.declaredType,
        isNotNull: kind == .table ? parts.isNotNull(column) : nil,
        isPrimaryKey: column.primaryKeyPosition != nil,
        isForeignKey: foreign.contains(foldedName(column.name)),
        isUnique: column.primaryKeyPosition == nil && unique.contains(foldedName(column.name)))
    }
    return SchemaDiagram.Table(name: info.name, kind: kind, columns: columns)
  }

  private func reference(
    _ key: ForeignKeyInfo, _ parts: Parts, _ table: String, _ known: [String: String]
  ) throws -> SchemaDiagram.Reference {
    let target = known[foldedName(key.referencedTable)]
    let columns = Set(key.columns.map(foldedName))
    return SchemaDiagram.Reference(
      table: table, columns: exact(key.columns, parts.columns),
      referencedTable: target ?? key.referencedTable,
      referencedColumns: try referencedColumns(key, target),
      isUnique: parts.uniqueKeys.contains { $0.isSubset(of: columns) },
      isOptional: parts.columns.contains {
        columns.contains(foldedName($0.name)) && !parts.isNotNull($0)
      })
  }

  private func referencedColumns(_ key: ForeignKeyInfo, _ target: String?) throws -> [String] {
    guard let target else { return key.referencedColumns }
    let columns: [ColumnInfo]
    do { columns = try connection.columns(of: target, database: database) } catch let error
      as SQLiteError where error.code.primary == .error
    {
      return []
    }
    let names =
      key.referencedColumns.isEmpty
      ? Parts(columns: columns).primaryKey.map(\.name) : exact(key.referencedColumns, columns)
    let known = Set(columns.map(\.name))
    return names.count == key.columns.count && known.isSuperset(of: names) ? names : []
  }

  /// Returns the names as the table spells them, because a foreign key can use other letter cases.
  private func exact(_ names: [String], _ columns: [ColumnInfo]) -> [String] {
    names.map { name in columns.first { foldedName($0.name) == foldedName(name) }?.name ?? name }
  }

  private func missingTables(
    _ references: [SchemaDiagram.Reference], _ known: [String: String]
  ) -> [SchemaDiagram.Table] {
    var columns: [String: [String]] = [:]
    var names: [String: String] = [:]
    for reference in references {
      let key = foldedName(reference.referencedTable)
      guard known[key] == nil else { continue }
      names[key] = names[key] ?? reference.referencedTable
      let listed = Set(columns[key, default: []].map(foldedName))
      columns[key, default: []] += reference.referencedColumns.filter {
        !listed.contains(foldedName($0))
      }
    }
    return names.sorted { $0.key < $1.key }.map { key, name in
      SchemaDiagram.Table(
        name: name, kind: .missing, columns: (columns[key] ?? []).map { .init(name: $0) })
    }
  }
}
