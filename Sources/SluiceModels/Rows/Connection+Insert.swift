public import Sluice

/// Insertion of rows.
extension Connection {
  /// Inserts a value as a row, and returns the value with its key.
  ///
  /// If the key is nil, SQLite assigns one. This method throws the code of a violated constraint, such as
  /// ``ResultCode/constraintUnique``, ``ResultCode/notFound`` if a trigger ignores the row, and an `EncodingError` with the
  /// name of a property that SQLite cannot store, such as a NaN. `policy` determines what else a violated constraint does.
  @discardableResult
  public func insert<M: Model>(_ model: M, or policy: ConflictPolicy = .abort) throws -> M {
    guard let added = try add(model, Insertion(policy: policy)) else { throw ignored(M.self) }
    return added
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
  public func insert<M: Model, T>(
    _ model: M, or policy: ConflictPolicy = .abort, returning converter: RowConverter<T>
  ) throws -> T {
    let row = try insertedRow(of: model, Insertion(policy: policy), converter)
    guard let row else { throw ignored(M.self) }
    return row
  }

  /// Inserts a value as a row, and returns a value of the row, such as its default value.
  ///
  /// ```swift
  /// let count = try connection.insert(draft, returning: \.count)
  /// ```
  public func insert<M: Model, T: Decodable & Sendable>(
    _ model: M, or policy: ConflictPolicy = .abort, returning property: KeyPath<M, T>
  ) throws -> T {
    try insert(model, or: policy, returning: .property(property))
  }

  /// Inserts all values, and returns the converted rows; if one cannot be inserted, throws and inserts none.
  ///
  /// If the converter throws, no row has been inserted.
  public func insert<M: Model, T>(
    _ models: [M], or policy: ConflictPolicy = .abort, returning converter: RowConverter<T>
  ) throws -> [T] {
    try forAll(models) { try $0.insert($1, or: policy, returning: converter) }
  }

  /// Inserts all values, and returns them with their keys; if one cannot be inserted, throws and inserts none.
  @discardableResult
  public func insert<M: Model>(_ models: [M], or policy: ConflictPolicy = .abort) throws -> [M] {
    try savepoint { connection, _ in
      let insertion = Insertion(policy: policy)
      var inserted: [M] = []
      inserted.reserveCapacity(models.count)
      while inserted.count < models.count {
        let rest = models[inserted.count...]
        let some = insertion.isPlain ? try connection.withRowids(rest) : []
        inserted += some
        guard some.isEmpty, let next = rest.first else { continue }
        guard let added = try connection.add(next, insertion) else { throw ignored(M.self) }
        inserted.append(added)
      }
      return inserted
    }.value
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
    let insertion = try Insertion(clause: doNothing(on: properties))
    guard isKeyless(model) else { return try addedRows(of: model, insertion) > 0 ? model : nil }
    return try withReturnedKey(model, insertion)
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
    try insertedRow(of: model, Insertion(clause: doNothing(on: properties)), converter)
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
    guard let stored = try upsert(model, rules) else { throw ignored(M.self) }
    return stored
  }

  /// Inserts a value, or updates the row that it conflicts with if a condition is true for that row.
  ///
  /// ```swift
  /// try connection.upsert(page, where: "excluded.version > page.version")
  /// ```
  ///
  /// In the condition, `page.version` is the value of the existing row of the table `page`, and `excluded.version` is the
  /// new value. In all other respects, this method behaves like the form without a condition.
  ///
  /// - Returns: The value with its key; nil if the existing row remains as it is, or if a trigger ignores the row.
  ///
  /// The corresponding SQL is `INSERT … ON CONFLICT DO UPDATE … WHERE`.
  @discardableResult
  public func upsert<M: Model>(
    _ model: M, _ rules: UpsertRule<M>..., where condition: SQL
  ) throws -> M? {
    try upsert(model, rules, where: condition)
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
    let insertion = Insertion(clause: try UpsertRule.clause(rules, updatesAlways: true))
    guard let row = try insertedRow(of: model, insertion, converter) else { throw ignored(M.self) }
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
    try forAll(models) { connection, model in
      guard let stored = try connection.upsert(model, rules) else { throw ignored(M.self) }
      return stored
    }
  }

  /// Inserts or updates the rows of all values, and returns the converted rows; if one of them cannot be written, throws
  /// and changes nothing.
  ///
  /// If the converter throws, no row has been written.
  public func upsert<M: Model, T>(
    _ models: [M], _ rules: UpsertRule<M>..., returning converter: RowConverter<T>
  ) throws -> [T] {
    try forAll(models) { try $0.upsert($1, rules, returning: converter) }
  }

  /// Returns the value with its key; nil if no row was inserted or updated.
  private func upsert<M: Model>(
    _ model: M, _ rules: [UpsertRule<M>], where condition: SQL? = nil
  ) throws -> M? {
    // A row that conflicts in other columns has another key.
    let hasOtherKey = rules.contains { $0.isTarget }
    let updatesAlways = hasOtherKey || condition != nil
    let insertion = Insertion(
      clause: try UpsertRule.clause(rules, updatesAlways: updatesAlways, where: condition),
      returnsKey: hasOtherKey)
    guard hasOtherKey, M.table.assignment == nil else { return try add(model, insertion) }
    let keys = zip(try M.table.keyNames, try keyValues(M.self, key(of: model)))
    let isSame = keys.map { "\(name($0)) IS \($1) COLLATE BINARY" as SQL }
      .joined(separator: " AND ")
    let row = RowConverter { row in
      try row.get(.bool, at: 0) ? model : RowConverter.model(M.self).value(of: row)
    }
    let returning: SQL = " RETURNING \(isSame) AS sluice_same, *"
    return try withInsertion(of: model, insertion, returning: returning) { try $0.first(row) }
  }

  private func doNothing<M: Model>(on properties: [PartialKeyPath<M>]) throws -> SQL {
    guard !properties.isEmpty else { return " ON CONFLICT DO NOTHING" }
    let schema = try M.table.schema.get()
    let target = try properties.map { name(try schema.column($0)) }
    return " ON CONFLICT(\(target.list)) DO NOTHING"
  }
}

extension Connection {
  /// Returns whether SQLite assigns the key of a value.
  private func isKeyless<M: Model>(_ model: M) -> Bool {
    let table = M.table
    return table.assignment != nil && table.key(model) == nil
  }

  /// Calls `body` with a statement that inserts a value, and that ends with the clause `returning`.
  private func withInsertion<M: Model, T>(
    of model: M, _ insertion: Insertion, returning: SQL? = nil, _ body: (Statement) throws -> T
  ) throws -> T {
    let statements = try M.table.statements.get()
    let insert = isKeyless(model) ? statements.keylessInsert : statements.insert
    // SQLite accepts no conflict clause after DEFAULT VALUES.
    let clause = insert.columns.names.isEmpty ? nil : insertion.clause
    let end = returning.map { (clause ?? "") + $0 } ?? clause
    return try withStatement(insert.or(insertion.policy), model, end: end, body)
  }

  /// Inserts a value, and returns the number of rows that were added or updated.
  private func addedRows<M: Model>(of model: M, _ insertion: Insertion) throws -> Int {
    try withInsertion(of: model, insertion) { statement in
      try statement.execute()
      return changes
    }
  }

  /// Inserts a value, and returns the converted row; nil if there is none.
  private func insertedRow<M: Model, T>(
    of model: M, _ insertion: Insertion, _ converter: RowConverter<T>
  ) throws -> T? {
    try withInsertion(of: model, insertion, returning: " RETURNING *") { try $0.first(converter) }
  }

  /// Inserts a value, and returns it with its key; nil if no row was inserted or updated.
  private func add<M: Model>(_ model: M, _ insertion: Insertion) throws -> M? {
    let isKeyless = isKeyless(model)
    guard isKeyless || insertion.returnsKey else {
      let count = try addedRows(of: model, insertion)
      // SQLite does not count changes that a view's trigger makes, and an upsert without an update leaves an
      // existing row unchanged.
      let mayDoNothing = insertion.clause?.text.hasSuffix(" DO NOTHING") == true
      return try count > 0 || mayDoNothing || !hasTable(of: M.self) ? model : nil
    }
    if isKeyless, insertion.isPlain, let added = try withRowid(model) { return added }
    return try withReturnedKey(model, insertion)
  }

  /// Inserts a value, and returns it with the key that RETURNING reports; nil if there is no row.
  private func withReturnedKey<M: Model>(_ model: M, _ insertion: Insertion) throws -> M? {
    let table = M.table
    let returning = SQL(text: try table.statements.get().returningKey)
    var result: M?
    try withInsertion(of: model, insertion, returning: returning) { statement in
      try statement.forEachRow { row in
        var inserted = model
        // The trigger of a view assigns the key of the table, which RETURNING does not show.
        if try !row.isNull(at: 0), let assignment = table.assignment {
          assignment.set(&inserted, try assignment.read(row))
        }
        result = inserted
      }
    }
    return result
  }

  /// Inserts a value without a key, and returns it with its rowid as the key; nil if the key may not be the rowid.
  ///
  /// To return the key, SQLite would first store it in a temporary table, which takes longer than the insertion.
  private func withRowid<M: Model>(_ model: M) throws -> M? {
    let table = M.table
    guard let assignment = table.assignment else { return nil }
    let insert = try table.statements.get().keylessInsert
    return try withStatement(insert.text) { statement in
      try added(model, by: statement, insert.columns, assignment)
    }
  }

  /// Inserts values up to the first one with a key or whose key may not be the rowid, and returns them with their keys.
  private func withRowids<M: Model>(_ models: ArraySlice<M>) throws -> [M] {
    let table = M.table
    guard let assignment = table.assignment else { return [] }
    let insert = try table.statements.get().keylessInsert
    return try withStatement(insert.text) { statement in
      var inserted: [M] = []
      for model in models {
        guard table.key(model) == nil,
          let added = try added(model, by: statement, insert.columns, assignment)
        else { break }
        inserted.append(added)
      }
      return inserted
    }
  }

  /// Inserts a value by a statement, and returns it with its rowid as the key; nil if the key may not be the rowid.
  private func added<M: Model>(
    _ model: M, by statement: Statement, _ columns: WrittenColumns,
    _ assignment: ModelTable<M, M.Key>.KeyAssignment
  ) throws -> M? {
    let column = try M.table.statements.get().keys[0]
    let isRowid = {
      try statement.remember(column) { try self.isRowid(column, of: M.table.name) }
    }
    guard try canAskAboutRows && isRowid() else { return nil }
    try bind(model, to: statement, columns)
    guard let row = try statement.insertRow() else { return model }
    // SQLite has compiled the statement again if somebody has just changed the schema.
    let stored = try isRowid() ? rowid(of: row, assignment) : key(M.self, inRow: row)
    var inserted = model
    if let stored { assignment.set(&inserted, stored) }
    return inserted
  }

  /// Returns the rowid of an inserted row as a key.
  private func rowid<M: Model>(
    of row: InsertedRow, _ assignment: ModelTable<M, M.Key>.KeyAssignment
  ) throws -> M.Key? {
    guard row.changes > 0 else { throw ignored(M.self) }
    if M.Key.self == Int64.self { return row.rowid as? M.Key }
    let sql: SQL = "SELECT \(row.rowid) AS \(name(try M.table.statements.get().keys[0]))"
    return try first(RowConverter { try assignment.read($0) }, sql)
  }

  /// Returns the key of an inserted row, which is not the rowid; nil if it is NULL, or the row is one of a view.
  private func key<M: Model>(_ model: M.Type, inRow row: InsertedRow) throws -> M.Key? {
    guard try hasTable(of: model) else { return nil }
    guard row.changes > 0 else { throw ignored(model) }
    guard let rowid = try rowidName(of: model), let assignment = M.table.assignment else {
      return nil
    }
    let name = name(try M.table.statements.get().keys[0])
    let key = RowConverter { row in try row.isNull(at: 0) ? nil : assignment.read(row) }
    return try first(
      key,
      """
      SELECT \(name) FROM \(identifier: M.table.name) \
      WHERE \(identifier: M.table.name).\(self.name(rowid)) = \(row.rowid)
      """) ?? nil
  }

  private func ignored<M: Model>(_ model: M.Type) -> SQLiteError {
    SQLiteError(
      .notFound,
      "The table \"\(M.table.name)\" has ignored the row, because of a trigger or of ON CONFLICT IGNORE"
    )
  }
}

/// The parts of an insertion that concern conflicts.
private struct Insertion {
  var policy = ConflictPolicy.abort
  /// The ON CONFLICT clause.
  var clause: SQL?
  /// Whether the key can be that of an existing row.
  var returnsKey = false
  /// Whether a conflict is an error.
  var isPlain: Bool { clause == nil && policy == .abort }
}

/// A value whose row could not be written, and the error.
public struct ModelFailure<M: Model>: Sendable {
  /// The value, unchanged.
  public let model: M
  /// The error from SQLite or Sluice.
  public let error: any Error
}
