public import Sluice

/// Rows that refer to other rows.
extension Connection {
  /// Returns parents with the rows that refer to each of them, in one statement for all parents.
  ///
  /// ```swift
  /// let authors = try connection.fetch(Author.order(by: \.name))
  /// for (author, books) in try connection.fetch(Book.order(by: \.title), of: authors, by: \.author) {
  ///   print(author.name, books.map(\.title))
  /// }
  /// ```
  ///
  /// The query selects and orders the children; it must not have a limit, which would apply to the children of
  /// all parents together. A parent without a key, or without children, has none. Call this method and the one that
  /// fetches the parents in one transaction or access, so that both see the same state of the database.
  ///
  /// - Parameters:
  ///   - query: The query for the children.
  ///   - parents: The parents, in any number; a parent that occurs twice has its children twice.
  ///   - property: The property of a child that contains the key of its parent.
  /// - Returns: The parents in their order, each with its children in the order of the query.
  /// - Throws: ``ResultCode/misuse`` for a query with a limit or an offset.
  public func fetch<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key>
  ) throws -> [(parent: Parent, children: [Child])] {
    try children(query, parents, property)
  }

  /// Returns parents with the rows that refer to each of them by an optional property.
  public func fetch<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key?>
  ) throws -> [(parent: Parent, children: [Child])] {
    try children(query, parents, property)
  }

  private func children<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, _ parents: [Parent], _ property: PartialKeyPath<Child>
  ) throws -> [(parent: Parent, children: [Child])] {
    guard query.limit == nil, query.offset == 0 else {
      throw SQLiteError(
        .misuse, "A query for the children of several parents must not have a limit or an offset")
    }
    let column = try Child.table.schema.get().column(property)
    let keys = try parents.map { parent -> SQLParameter in
      guard let key = Parent.table.key(parent), let value = Parent.table.keyValues(key).first else {
        return .null
      }
      return try parameter(encoding: value)
    }
    // SQLite compares the keys, so that the collation of the column applies, and, because of the plus sign, its affinity.
    // The subquery hides the names of the array's columns, such as `value`, from conditions in SQL.
    let parent: SQL = "\(identifier: "sluice parent")"
    let key: SQL = "\(identifier: "sluice key")"
    let table: SQL = "\(identifier: Child.table.name)"
    let found = try self.query(
      RowConverter { row in try (row.get(.int, named: "sluice parent"), Child(row: row)) },
      """
      SELECT \(Child.columns(of: Child.table.name)), \(parent) \
      FROM (SELECT rowid AS \(parent), value AS \(key) FROM \(keys)) \
      JOIN \(table) ON \(table).\(identifier: column) = +\(key)\(query.tail(self))
      """)
    var children = Array(repeating: [Child](), count: parents.count)
    for (number, child) in found { children[number - 1].append(child) }
    return Array(zip(parents, children)).map { (parent: $0, children: $1) }
  }
}
