public import Sluice
import SluiceCore

/// Reading of rows.
extension Connection {
  /// Returns the row with this key; nil if there is none.
  public func fetch<M: Model>(_ model: M.Type, key: M.Key) throws -> M? {
    try withStatement(M.table.statements.get().selectRow) { statement in
      for (index, value) in try keyValues(model, key).enumerated() {
        try statement.bind(value, toParameter: index + 1)
      }
      return try statement.first(.model(model))
    }
  }

  /// Returns the rows with these keys, in the order of the keys; a key without a row is skipped.
  ///
  /// This method executes one statement, for any number of keys.
  public func fetch<M: Model>(_ model: M.Type, keys: [M.Key]) throws -> [M] {
    let names = try M.table.keyNames
    var values = Array(repeating: [SQLParameter](), count: names.count)
    for key in keys {
      for (index, value) in try keyValues(model, key).enumerated() { values[index].append(value) }
    }
    // CROSS JOIN makes SQLite read the keys first, in their order, and look up a row for each key. The plus sign makes
    // SQLite convert a key as it converts a bound value, so that 1 equals '1' in a TEXT column.
    var sources: SQL = ""
    var conditions: [SQL] = []
    for (index, name) in names.enumerated() {
      let alias = "sluice key \(index)"
      sources += "\(values[index]) AS \(identifier: alias) CROSS JOIN "
      conditions.append(
        "\(identifier: M.table.name).\(identifier: name) = +\(identifier: alias).value")
      if index > 0 {
        conditions.append("\(identifier: alias).rowid = \(identifier: "sluice key 0").rowid")
      }
    }
    return try query(
      .model(model),
      """
      SELECT \(M.columns(of: M.table.name)) FROM \(sources)\(identifier: M.table.name) \
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(identifier: "sluice key 0").rowid
      """)
  }

  /// Returns all rows that a query finds.
  ///
  /// ```swift
  /// let adults = try connection.fetch(Person.where(\.age >= 18).order(by: \.name))
  /// ```
  public func fetch<M: Model>(_ query: ModelQuery<M>) throws -> [M] {
    try self.query(.model(M.self), sql(of: query))
  }

  /// Returns the first row that a query finds; nil if there is none.
  public func fetchFirst<M: Model>(_ query: ModelQuery<M>) throws -> M? {
    try first(.model(M.self), sql(of: query))
  }

  /// Calls a closure with each row that a query finds, without collecting the rows.
  ///
  /// ```swift
  /// try connection.forEach(Person.order(by: \.name)) { person in print(person.name) }
  /// ```
  ///
  /// If the closure throws, this method stops and rethrows the error.
  public func forEach<M: Model>(
    _ query: ModelQuery<M>, _ body: (_ model: M) throws -> Void
  ) throws {
    try execute(sql(of: query)) { row in try body(M(row: row)) }
  }

  /// Returns all results of a selection.
  ///
  /// ```swift
  /// let names = try connection.fetch(Person.where(\.age >= 18).select(\.name).distinct())
  /// ```
  public func fetch<M: Model, T>(_ selection: ModelSelection<M, T>) throws -> [T] {
    try query(selection.converter, selection.sql(self))
  }

  /// Returns the first result of a selection; nil if there is none.
  public func fetchFirst<M: Model, T>(_ selection: ModelSelection<M, T>) throws -> T? {
    try first(selection.converter, selection.sql(self))
  }

  /// Returns the value of an aggregate over the rows that a query finds.
  ///
  /// ```swift
  /// let oldest = try connection.value(.max(\.age), of: Person.all)
  /// ```
  ///
  /// An expression that is not an aggregate throws ``ResultCode/misuse``.
  public func value<M: Model, T>(
    _ aggregate: ModelExpression<M, T>, of query: ModelQuery<M>
  ) throws -> T {
    guard aggregate.isAggregate, let value = try fetchFirst(query.select(aggregate)) else {
      throw SQLiteError(
        .misuse,
        """
        A value of several rows must be an aggregate, such as .sum(\\.price); \
        for an aggregate in SQL, pass isAggregate: true
        """)
    }
    return value
  }

  /// Returns the SQL that computes the results of a selection, with its bound values.
  public func sql<M: Model, T>(of selection: ModelSelection<M, T>) throws -> SQL {
    try selection.sql(self)
  }

  /// Returns the SQL that fetches the rows of a query, with its bound values.
  public func sql<M: Model>(of query: ModelQuery<M>) throws -> SQL {
    try M.selectSQL + query.tail(self)
  }

  /// Returns the SQL of a condition, with its bound values, for a statement of your own.
  ///
  /// ```swift
  /// let condition: Condition<Book> = .like(\.title, "N%")
  /// let found = try connection.query(
  ///   .models(Book.self, Author.self),
  ///   """
  ///   SELECT \(columns: Book.self, of: "b"), \(columns: Author.self)
  ///   FROM book AS b JOIN author ON author.id = b.author
  ///   WHERE \(connection.sql(of: condition, as: "b"))
  ///   """)
  /// ```
  ///
  /// - Parameters:
  ///   - condition: The condition.
  ///   - alias: The name of the model's table in the statement; nil for its own name. A part of the condition in SQL is
  ///     inserted unchanged.
  /// - Returns: The SQL, in parentheses.
  /// - Throws: An error if the condition does not match the table.
  public func sql<M: Model>(of condition: Condition<M>, as alias: String? = nil) throws -> SQL {
    "(\(try condition.sql(self, alias ?? M.table.name)))"
  }

  /// Returns whether there is a row with the key of a value.
  public func exists<M: Model>(_ model: M) throws -> Bool {
    guard let key = M.table.key(model) else { return false }
    return try exists(M.self, key: key)
  }

  /// Returns whether there is a row with this key.
  public func exists<M: Model>(_ model: M.Type, key: M.Key) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM \(identifier: M.table.name) WHERE \(isRow(model, key))") != nil
  }

  /// Returns whether a query finds any row.
  public func exists<M: Model>(_ query: ModelQuery<M>) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM \(identifier: M.table.name)" + query.tail(self)) != nil
  }

  /// Returns the number of rows that a query finds.
  public func count<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    let rows: SQL = try "SELECT 1 FROM \(identifier: M.table.name)" + query.tail(self)
    return try first(.column(.int), "SELECT count(*) FROM (\(rows))") ?? 0
  }
}

extension RowConverter where Value: Model {
  /// Returns a converter that creates a model from a row with all columns of its table, from any statement.
  ///
  /// ```swift
  /// let friends = try connection.query(
  ///   .model(Person.self), "SELECT person.* FROM person JOIN friend ON friend.id = person.id")
  /// ```
  public static func model(_ model: Value.Type = Value.self) -> Self {
    Self { row in try Value(row: row) }
  }
}

extension RowConverter where Value: Decodable & Sendable {
  /// Returns a converter that reads the column of a model's property.
  static func property<M: Model>(_ property: KeyPath<M, Value>) throws -> Self {
    let column = try M.table.schema.get().column(property)
    let property = try ReadProperty(property)
    return Self { row in try property.value(Value.self, row, at: row.index(named: column)) }
  }
}
