public import Sluice

/// Rows that refer to other rows.
extension Connection {
  /// Returns parents with the rows that refer to each of them, in one statement for all parents.
  ///
  /// ```swift
  /// let authors = try connection.fetch(Author.order(by: \.name))
  /// for (author, books) in try connection.fetch(
  ///   Book.order(by: \.title), of: authors, by: \.author)
  /// {
  ///   print(author.name, books.map(\.title))
  /// }
  /// ```
  ///
  /// The query selects and orders the children; its limit and offset apply to the children of each parent, and need a
  /// table, not a view. SQL in the query names the table of a rowid: `book.rowid`. A parent without a key, or without
  /// children, has none. Call this method and the one that fetches the parents in one transaction or access, so that
  /// both see the same state of the database.
  ///
  /// - Parameters:
  ///   - query: The query for the children.
  ///   - parents: The parents, in any number; a parent that occurs twice has its children twice.
  ///   - property: The property of a child that contains the key of its parent.
  /// - Returns: The parents in their order, each with its children in the order of the query.
  /// - Throws: ``ResultCode/misuse`` if the query has a limit or an offset, and its rows are those of a view.
  public func fetch<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key>
  ) throws -> [(parent: Parent, children: [Child])] {
    try children(query, of: parents, Reference([property]))
  }

  /// Returns parents with the rows that refer to each of them by an optional property.
  public func fetch<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key?>
  ) throws -> [(parent: Parent, children: [Child])] {
    try children(query, of: parents, Reference([property]))
  }

  /// Returns parents whose key consists of two properties, with the rows that refer to each of them.
  public func fetch<Parent: Model, Child: Model, First, Second>(
    _ query: ModelQuery<Child>, of parents: [Parent], by first: KeyPath<Child, First>,
    and second: KeyPath<Child, Second>
  ) throws -> [(parent: Parent, children: [Child])] where Parent.Key == (First, Second) {
    try children(query, of: parents, Reference([first, second]))
  }

  /// Returns parents whose key consists of two properties, with the rows that refer to each of them by optional
  /// properties.
  public func fetch<Parent: Model, Child: Model, First, Second>(
    _ query: ModelQuery<Child>, of parents: [Parent], by first: KeyPath<Child, First?>,
    and second: KeyPath<Child, Second?>
  ) throws -> [(parent: Parent, children: [Child])] where Parent.Key == (First, Second) {
    try children(query, of: parents, Reference([first, second]))
  }

  /// Returns parents with their children, and the rows that refer to each of these children.
  ///
  /// ```swift
  /// let books = try connection.fetch(Book.order(by: \.title), of: authors, by: \.author)
  /// for (author, books) in try connection.fetch(Chapter.all, of: books, by: \.book) {
  ///   for (book, chapters) in books { print(author.name, book.title, chapters.count) }
  /// }
  /// ```
  ///
  /// This method executes one statement for all parents.
  public func fetch<Ancestor, Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [(parent: Ancestor, children: [Parent])],
    by property: KeyPath<Child, Parent.Key>
  ) throws -> [(parent: Ancestor, children: [(parent: Parent, children: [Child])])] {
    try grandchildren(query, of: parents, Reference([property]))
  }

  /// Returns parents with their children, and the rows that refer to each of these children by an optional property.
  public func fetch<Ancestor, Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [(parent: Ancestor, children: [Parent])],
    by property: KeyPath<Child, Parent.Key?>
  ) throws -> [(parent: Ancestor, children: [(parent: Parent, children: [Child])])] {
    try grandchildren(query, of: parents, Reference([property]))
  }

  /// Returns rows with the rows that another table links to each of them, in one statement for all rows.
  ///
  /// ```swift
  /// let tagged = try connection.fetch(
  ///   Tag.order(by: \.name), of: all, through: \Label.book, \Label.tag)
  /// for (book, tags) in tagged { print(book.title, tags.map(\.name)) }
  /// ```
  ///
  /// A condition or order in SQL can use the columns of the table in between. A row that is linked twice is returned
  /// twice, unless the query has a limit or an offset.
  ///
  /// - Parameters:
  ///   - query: The query for the linked rows; its limit and offset apply to each of `parents`.
  ///   - parents: The rows, in any number.
  ///   - first: The property of the model in between that contains the key of one of `parents`.
  ///   - second: The property of the model in between that contains the key of a linked row.
  /// - Returns: The rows in their order, each with the linked rows in the order of the query.
  /// - Throws: ``ResultCode/misuse`` if the query has a limit or an offset, and its rows are those of a view.
  public func fetch<Parent: Model, Link: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], through first: KeyPath<Link, Parent.Key>,
    _ second: KeyPath<Link, Child.Key>
  ) throws -> [(parent: Parent, children: [Child])] {
    try children(query, of: parents, Reference(first, second))
  }

  /// Returns parents with the number of rows that refer to each of them, in one statement for all parents.
  ///
  /// ```swift
  /// let counts = try connection.count(Book.all, of: authors, by: \.author)
  /// ```
  ///
  /// - Parameters:
  ///   - query: The query for the rows to count; its limit and offset apply to each parent.
  ///   - parents: The parents, in any number.
  ///   - property: The property of a row that contains the key of its parent.
  /// - Returns: The parents in their order, each with the number of its rows.
  /// - Throws: ``ResultCode/misuse`` if the query has a limit or an offset, and its rows are those of a view.
  public func count<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key>
  ) throws -> [(parent: Parent, count: Int)] {
    try counts(query, of: parents, Reference([property]))
  }

  /// Returns parents with the number of rows that refer to each of them by an optional property.
  public func count<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], by property: KeyPath<Child, Parent.Key?>
  ) throws -> [(parent: Parent, count: Int)] {
    try counts(query, of: parents, Reference([property]))
  }

  /// Returns rows with the number of rows that another table links to each of them.
  public func count<Parent: Model, Link: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], through first: KeyPath<Link, Parent.Key>,
    _ second: KeyPath<Link, Child.Key>
  ) throws -> [(parent: Parent, count: Int)] {
    try counts(query, of: parents, Reference(first, second))
  }
}

extension Connection {
  private func children<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], _ reference: Reference<Child>
  ) throws -> [(parent: Parent, children: [Child])] {
    let columns: SQL = "\(try Child.columns(of: Child.table.name)), \(Reference<Child>.parent)"
    let found = try self.query(
      RowConverter { row in try (row.get(.int, named: "sluice parent"), Child(row: row)) },
      "SELECT \(columns) \(try reference.rows(query, of: parents, self))\(try query.order())")
    var children = Array(repeating: [Child](), count: parents.count)
    for (number, child) in found { children[number - 1].append(child) }
    return Array(zip(parents, children)).map { (parent: $0, children: $1) }
  }

  private func grandchildren<Ancestor, Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [(parent: Ancestor, children: [Parent])],
    _ reference: Reference<Child>
  ) throws -> [(parent: Ancestor, children: [(parent: Parent, children: [Child])])] {
    var rest = try children(query, of: parents.flatMap(\.children), reference)[...]
    return parents.map { parent in
      defer { rest = rest.dropFirst(parent.children.count) }
      return (parent: parent.parent, children: Array(rest.prefix(parent.children.count)))
    }
  }

  private func counts<Parent: Model, Child: Model>(
    _ query: ModelQuery<Child>, of parents: [Parent], _ reference: Reference<Child>
  ) throws -> [(parent: Parent, count: Int)] {
    let rows = try reference.rows(query, of: parents, self)
    let found = try self.query(
      .columns(.int, .int),
      """
      SELECT \(Reference<Child>.parent), count(*) FROM (SELECT \(Reference<Child>.parent) \(rows)) \
      GROUP BY \(Reference<Child>.parent)
      """)
    var counts = Array(repeating: 0, count: parents.count)
    for (number, count) in found { counts[number - 1] = count }
    return Array(zip(parents, counts)).map { (parent: $0, count: $1) }
  }
}
