public import Sluice

/// Rows that are read.
extension Connection {
  /// The row that has this key, or nil if there is none.
  public func fetch<M: Model>(_ model: M.Type, key: M.Key) throws -> M? {
    try first(.model(model), try M.select + " WHERE \(isRow(model, key))")
  }

  /// The rows that have these keys, in their order; a key without a row is passed over.
  public func fetch<M: Model>(_ model: M.Type, keys: [M.Key]) throws -> [M] {
    try keys.compactMap { try fetch(model, key: $0) }
  }

  /// All rows that a query finds.
  ///
  /// ```swift
  /// let adults = try connection.fetch(Person.where(\.age >= 18).order(by: \.name))
  /// ```
  public func fetch<M: Model>(_ query: ModelQuery<M>) throws -> [M] {
    try self.query(.model(M.self), sql(of: query))
  }

  /// The first row that a query finds, or nil if there is none.
  public func fetchFirst<M: Model>(_ query: ModelQuery<M>) throws -> M? {
    try first(.model(M.self), sql(of: query))
  }

  /// The SQL by which a query is fetched, with the values in it.
  public func sql<M: Model>(of query: ModelQuery<M>) throws -> SQL {
    try M.select + query.tail(self)
  }

  /// Whether there is a row that has the key of a value.
  public func exists<M: Model>(_ model: M) throws -> Bool {
    guard let key = M.table.key(model) else { return false }
    return try exists(M.self, key: key)
  }

  /// Whether there is a row that has this key.
  public func exists<M: Model>(_ model: M.Type, key: M.Key) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM \(identifier: M.table.name) WHERE \(isRow(model, key))") != nil
  }

  /// Whether a query finds anything.
  public func exists<M: Model>(_ query: ModelQuery<M>) throws -> Bool {
    try first(
      .column(.int), "SELECT 1 FROM \(identifier: M.table.name)" + query.tail(self)) != nil
  }

  /// How many rows a query finds.
  public func count<M: Model>(_ query: ModelQuery<M>) throws -> Int {
    let rows: SQL = try "SELECT 1 FROM \(identifier: M.table.name)" + query.tail(self)
    return try first(.column(.int), "SELECT count(*) FROM (\(rows))") ?? 0
  }
}

extension RowConverter where Value: Model {
  /// A row that has all columns of a model's table, from whatever SQL it is.
  ///
  /// ```swift
  /// let friends = try connection.query(
  ///   .model(Person.self), "SELECT person.* FROM person JOIN friend ON friend.id = person.id")
  /// ```
  public static func model(_ model: Value.Type = Value.self) -> Self {
    Self { row in try Value(row: row) }
  }
}
