public import Sluice

/// Insertion of rows.
extension Connection {
  /// Inserts a value as a row, and returns the value with its key.
  ///
  /// If the key is nil, SQLite assigns one. This method throws the code of a violated constraint, such as
  /// ``ResultCode/constraintUnique``, and ``ResultCode/notFound`` if a trigger ignores the row.
  @discardableResult
  public func insert<M: Model>(_ model: M) throws -> M {
    try add(model, onConflict: nil)
  }

  /// Inserts a value as a row, and returns the converted row, with its default values and generated columns.
  ///
  /// ```swift
  /// let message = try connection.insert(draft, returning: .model(Visit.self))
  /// ```
  ///
  /// The row does not show changes that an `AFTER` trigger makes to it. If the converter throws, the row has
  /// been inserted; rethrow the error to roll back the transaction.
  ///
  /// The corresponding SQL is `INSERT … RETURNING *`.
  public func insert<M: Model, T>(_ model: M, returning converter: RowConverter<T>) throws -> T {
    guard let row = try first(converter, insertion(of: model, nil, returnsRow: true).sql) else {
      throw ignored(M.self)
    }
    return row
  }

  /// Inserts a value as a row, and returns a value of the row, such as its default value.
  ///
  /// ```swift
  /// let count = try connection.insert(draft, returning: \.count)
  /// ```
  public func insert<M: Model, T: Decodable & Sendable>(
    _ model: M, returning property: KeyPath<M, T>
  ) throws -> T {
    try insert(model, returning: .property(property))
  }

  /// Inserts all values, and returns the converted rows; if one cannot be inserted, throws and inserts none.
  ///
  /// If the converter throws, no row has been inserted.
  public func insert<M: Model, T>(
    _ models: [M], returning converter: RowConverter<T>
  ) throws -> [T] {
    try forAll(models) { try $0.insert($1, returning: converter) }
  }

  /// Inserts all values, and returns them with their keys; if one cannot be inserted, throws and inserts none.
  @discardableResult
  public func insert<M: Model>(_ models: [M]) throws -> [M] {
    try forAll(models) { try $0.insert($1) }
  }

  /// Inserts the values, and returns the values that could not be inserted, with their errors.
  ///
  /// ```swift
  /// for failure in try connection.insertEach(people) {
  ///   print(failure.model.name, failure.error)
  /// }
  /// ```
  ///
  /// If an error is not caused by a single value, such as a full disk or a violation of a deferred foreign key, this
  /// method throws and inserts nothing.
  public func insertEach<M: Model>(_ models: [M]) throws -> [ModelFailure<M>] {
    try forEach(models) { try $0.insert($1) }
  }
}

/// Insertions that expect a conflict with an existing row.
extension Connection {
  /// Inserts a value, unless it conflicts with an existing row, and returns the value with its key.
  ///
  /// ```swift
  /// let added = try connection.insertIfAbsent(Person(name: "Ada"), on: \.name)
  /// ```
  ///
  /// A conflict is a violation of a primary key or of a unique constraint. If properties are given, only a
  /// conflict in the unique constraint on exactly these properties counts, and any other one throws.
  ///
  /// - Returns: The value with its key; nil if an existing row conflicts, or if a trigger ignores the row.
  ///
  /// The corresponding SQL is `INSERT … ON CONFLICT DO NOTHING`.
  @discardableResult
  public func insertIfAbsent<M: Model>(_ model: M, on properties: PartialKeyPath<M>...) throws -> M?
  {
    let insertion = try insertion(of: model, doNothing(on: properties))
    guard insertion.isKeyless else { return try change(insertion.sql) > 0 ? model : nil }
    return try assignedKey(of: model, insertion.sql)
  }

  /// Inserts a value, unless it conflicts with an existing row, and returns the converted new row.
  ///
  /// In all other respects, this method behaves like the form that returns a model. If the converter throws, the row has
  /// been inserted; rethrow the error to roll back the transaction.
  ///
  /// - Returns: The converted row; nil if an existing row conflicts, or if a trigger ignores the row.
  public func insertIfAbsent<M: Model, T>(
    _ model: M, on properties: PartialKeyPath<M>..., returning converter: RowConverter<T>
  ) throws -> T? {
    let insertion = try insertion(of: model, doNothing(on: properties), returnsRow: true)
    return try first(converter, insertion.sql)
  }

  /// Inserts a value, or updates the row that it conflicts with, and returns the value with its key.
  ///
  /// ```swift
  /// try connection.upsert(person)
  /// try connection.upsert(person, .on(\.name), .keep(\.age))
  /// ```
  ///
  /// By default, a conflict is an existing row with the same key, and all other columns of that row are
  /// written; ``UpsertRule`` describes how to change both. The existing row keeps its key. If SQLite assigns
  /// keys, the returned value has the key of the row. If the program assigns keys, and the existing row has another key,
  /// the returned value is that row. Otherwise, the returned value has the passed properties, even those that
  /// ``UpsertRule/keep(_:_:)`` does not write. To get the row, pass `returning:`.
  @discardableResult
  public func upsert<M: Model>(_ model: M, _ rules: UpsertRule<M>...) throws -> M {
    try upsert(model, rules)
  }

  /// Inserts a value, or updates the row that it conflicts with, and returns the converted row.
  ///
  /// The row does not show changes that an `AFTER` trigger makes to it. If the converter throws, the row has
  /// been written; rethrow the error to roll back the transaction.
  ///
  /// The corresponding SQL is `INSERT … ON CONFLICT DO UPDATE … RETURNING *`.
  public func upsert<M: Model, T>(
    _ model: M, _ rules: UpsertRule<M>..., returning converter: RowConverter<T>
  ) throws -> T {
    try upsert(model, rules, returning: converter)
  }

  private func upsert<M: Model, T>(
    _ model: M, _ rules: [UpsertRule<M>], returning converter: RowConverter<T>
  ) throws -> T {
    let clause = try UpsertRule.clause(rules, updatesAlways: true)
    guard let row = try first(converter, insertion(of: model, clause, returnsRow: true).sql) else {
      throw ignored(M.self)
    }
    return row
  }

  /// Inserts a value, or updates the row that it conflicts with, and returns a value of the row.
  public func upsert<M: Model, T: Decodable & Sendable>(
    _ model: M, _ rules: UpsertRule<M>..., returning property: KeyPath<M, T>
  ) throws -> T {
    try upsert(model, rules, returning: .property(property))
  }

  /// Inserts or updates the rows of all values; if one of them cannot be written, throws and changes nothing.
  @discardableResult
  public func upsert<M: Model>(_ models: [M], _ rules: UpsertRule<M>...) throws -> [M] {
    try forAll(models) { try $0.upsert($1, rules) }
  }

  private func upsert<M: Model>(_ model: M, _ rules: [UpsertRule<M>]) throws -> M {
    // A row that conflicts in other columns has another key.
    let hasOtherKey = rules.contains { $0.isTarget }
    let clause = try UpsertRule.clause(rules, updatesAlways: hasOtherKey)
    guard hasOtherKey, M.table.assign == nil else {
      return try add(model, onConflict: clause, returnsKey: hasOtherKey)
    }
    let keys = zip(try M.table.keyNames, try keyValues(M.self, key(of: model)))
    let isSame: SQL = keys.map { "\(name($0)) IS \($1)" as SQL }.joined(separator: " AND ")
    let row = RowConverter { row in
      try row.get(.bool, at: 0) ? model : RowConverter.model(M.self).value(of: row)
    }
    let sql = try insertion(of: model, clause).sql + " RETURNING \(isSame) AS sluice_same, *"
    guard let stored = try first(row, sql) else { throw ignored(M.self) }
    return stored
  }

  private func doNothing<M: Model>(on properties: [PartialKeyPath<M>]) throws -> SQL {
    guard !properties.isEmpty else { return " ON CONFLICT DO NOTHING" }
    let schema = try M.table.schema.get()
    let target = try properties.map { name(try schema.column($0)) }
    return " ON CONFLICT(\(target.list)) DO NOTHING"
  }
}

extension Connection {
  /// Returns an INSERT statement for a value, and whether SQLite assigns the key.
  private func insertion<M: Model>(
    of model: M, _ conflict: SQL?, returnsRow: Bool = false
  ) throws -> (sql: SQL, isKeyless: Bool) {
    let table = M.table
    let statements = try table.statements.get()
    let isKeyless = table.assign != nil && table.key(model) == nil
    let insert = isKeyless ? statements.keylessInsert : statements.insert
    let values = try storedValues(of: model, for: insert)
    // SQLite accepts no conflict clause after DEFAULT VALUES.
    guard let conflict, !insert.columns.isEmpty else {
      return (SQL(text: returnsRow ? insert.returning : insert.text, values), isKeyless)
    }
    let sql = SQL(text: insert.text, values) + conflict
    return (returnsRow ? sql + " RETURNING *" : sql, isKeyless)
  }

  private func add<M: Model>(
    _ model: M, onConflict conflict: SQL?, returnsKey: Bool = false
  ) throws -> M {
    let (sql, isKeyless) = try insertion(of: model, conflict)
    guard isKeyless || returnsKey else {
      let count = try change(sql)
      // SQLite does not count changes that a view's trigger makes, and an upsert without an update leaves an
      // existing row unchanged.
      let mayDoNothing = conflict?.text.hasSuffix(" DO NOTHING") == true
      guard try count > 0 || mayDoNothing || !hasTable(of: M.self) else { throw ignored(M.self) }
      return model
    }
    guard let model = try assignedKey(of: model, sql) else { throw ignored(M.self) }
    return model
  }

  /// Executes an INSERT statement, and returns the model with the key of the row; nil if there is no row.
  private func assignedKey<M: Model>(of model: M, _ sql: SQL) throws -> M? {
    var result: M?
    let table = M.table
    try execute(sql + SQL(text: table.statements.get().returningKey)) { row in
      var inserted = model
      // The trigger of a view assigns the key of the table, which RETURNING does not show.
      if try !row.isNull(at: 0) { try table.assign?(&inserted, row) }
      result = inserted
    }
    return result
  }

  private func ignored<M: Model>(_ model: M.Type) -> SQLiteError {
    SQLiteError(
      .notFound,
      "The table \"\(M.table.name)\" has ignored the row, because of a trigger or of ON CONFLICT IGNORE"
    )
  }
}

/// A value whose row could not be written, and the error.
public struct ModelFailure<M: Model>: Sendable {
  /// The value, unchanged.
  public let model: M
  /// The error from SQLite or Sluice.
  public let error: any Error
}
