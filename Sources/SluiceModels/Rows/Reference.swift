import Sluice

/// The columns by which rows refer to their parents: columns of their own, or those of a table in between.
struct Reference<Child: Model> {
  /// The table that contains the keys of the parents.
  private let table: SQL
  private let columns: [String]
  private let statements: TableStatements
  /// The name of the table in between, and the condition that a row is linked; nil if rows refer to parents themselves.
  private let link: (name: SQL, condition: SQL)?

  /// The name of the column with the number of the parent, from 1.
  static var parent: SQL { "\(identifier: "sluice parent")" }

  /// Creates the reference by properties of a child.
  init(_ properties: [PartialKeyPath<Child>]) throws {
    let schema = try Child.table.schema.get()
    table = "\(identifier: Child.table.name)"
    columns = try properties.map { try schema.column($0) }
    statements = schema.statements
    link = nil
  }

  /// Creates the reference by a table in between, from its properties with the keys of a parent and of a child.
  init<Link: Model>(
    _ first: PartialKeyPath<Link>, _ second: KeyPath<Link, Child.Key>
  ) throws {
    let schema = try Link.table.schema.get()
    let child = Child.table.name
    // A condition in SQL refers to the child by the name of its table.
    let isSame = foldedName(Link.table.name) == foldedName(child)
    table = "\(identifier: isSame ? "sluice link" : Link.table.name)"
    columns = [try schema.column(first)]
    statements = schema.statements
    let key = try Child.table.statements.get().keys[0]
    link = (
      "\(identifier: Link.table.name) AS \(table)",
      """
      \(identifier: child).\(identifier: key) = \(table).\(identifier: try schema.column(second)) AND
      """
    )
  }

  /// Returns the FROM and WHERE clauses for a query's rows, in which the column ``parent`` is the number of the parent.
  func rows<Parent: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], _ connection: Connection
  ) throws -> SQL {
    let keys = try keys(of: parents, connection)
    let child: SQL = "\(identifier: Child.table.name)"
    let sources = link.map { "\($0.name), \(child)" as SQL } ?? child
    var condition = link?.condition ?? ""
    // SQLite compares the keys, so that the collation of the column applies, and, because of the plus sign, its affinity.
    condition += columns.indices.map { index -> SQL in
      "\(table).\(identifier: columns[index]) = +\(Self.key(index))"
    }.joined(separator: " AND ")
    if let filter = query.condition { condition += " AND (\(try filter.sql(connection)))" }
    guard query.limit != nil || query.offset != 0 else {
      return "FROM \(keys), \(sources) WHERE \(condition)"
    }
    let identity = try identity(connection).list
    guard link != nil else {
      return """
        FROM \(keys), \(child) WHERE (\(identity)) IN \
        (SELECT \(identity) FROM \(child) WHERE \(condition)\(try query.ordering()))
        """
    }
    // A row that is linked twice counts once. The outer statement has the table in between for its order.
    return """
      FROM \(keys), \(sources) WHERE \(condition) AND (\(identity)) IN \
      (SELECT \(identity) FROM \(sources) WHERE \(condition) \
      GROUP BY \(identity)\(try query.ordering())) GROUP BY \(Self.parent), \(identity)
      """
  }

  /// Returns a subquery for the numbers and keys of parents.
  ///
  /// It hides the names of the arrays' columns, such as `value`, from conditions in SQL.
  private func keys<Parent: Model>(of parents: [Parent], _ connection: Connection) throws -> SQL {
    var values = columns.map { _ in [SQLParameter]() }
    for parent in parents {
      let key = Parent.table.key(parent).map(Parent.table.keyValues)
      for (index, column) in columns.enumerated() {
        guard let key else {
          values[index].append(.null)
          continue
        }
        let value = key[index]
        values[index].append(try statements.parameter(value, as: column, on: connection))
      }
    }
    let sources = values.enumerated().map { "\($1) AS \(Self.source($0))" as SQL }
    let names = values.indices.map { "\(Self.source($0)).value AS \(Self.key($0))" as SQL }
    let others = values.indices.dropFirst().map { index -> SQL in
      "\(Self.source(index)).rowid = \(Self.source(0)).rowid"
    }
    let condition: SQL = others.isEmpty ? "" : " WHERE \(others.joined(separator: " AND "))"
    return """
      (SELECT \(Self.source(0)).rowid AS \(Self.parent), \(names.list) \
      FROM \(sources.joined(separator: " CROSS JOIN "))\(condition))
      """
  }

  /// Returns SQL for the values that identify a row of a child's table.
  private func identity(_ connection: Connection) throws -> [SQL] {
    guard try connection.hasTable(of: Child.self) else {
      throw SQLiteError(
        .misuse,
        """
        A limit for the children of each parent needs a table, and "\(Child.table.name)" is none: its rows may have equal keys
        """)
    }
    let names = try connection.rowidName(of: Child.self).map { [$0] } ?? Child.table.keyNames
    return names.map { "\(identifier: Child.table.name).\(identifier: $0)" }
  }

  private static func key(_ index: Int) -> SQL { "\(identifier: "sluice key \(index)")" }
  private static func source(_ index: Int) -> SQL { "\(identifier: "sluice keys \(index)")" }
}
