import Foundation
public import Sluice

/// A condition that selects rows.
///
/// ```swift
/// let condition: Condition<Person> = \.age >= 18 && (.like(\.name, "A%") || .in(\.id, ids))
/// ```
///
/// `==` and `!=` behave as in Swift: `\.age == nil` matches NULL, and `\.age != 36` also matches rows without an
/// age. All other conditions behave as in SQL: a comparison with NULL yields NULL instead of true or false, and
/// so does its negation. The cases of ``Comparison`` are the SQL operators.
public struct Condition<M: Model>: Sendable {
  let content: Content
  /// The nesting depth of the condition.
  let depth: Int

  indirect enum Content: Sendable {
    /// A condition on the columns of the model's table, which has a name in the statement.
    case plain(@Sendable (_ connection: Connection, _ table: String) throws -> SQL)
    case failure(any Error)
    case all([Condition])
    case any([Condition])
    case not(Condition)
  }

  /// The maximum nesting depth; releasing a deeper condition would overflow the stack.
  private static var depthLimit: Int { 500 }

  init(_ content: Content) {
    let inner =
      switch content {
      case .plain, .failure: 0
      case .all(let conditions), .any(let conditions): conditions.map(\.depth).max() ?? 0
      case .not(let condition): condition.depth
      }
    depth = inner + 1
    guard depth <= Self.depthLimit else {
      let limit = Self.depthLimit
      self.content = .failure(
        SQLiteError(.tooBig, "A condition is nested more than \(limit) levels deep"))
      return
    }
    self.content = content
  }

  /// Creates a condition on a single column.
  init(
    _ column: (TableSchema<M>) throws -> String,
    form:
      @escaping @Sendable (_ column: SQL, _ name: String, _ connection: Connection) throws -> SQL
  ) {
    do {
      let name = try column(try M.table.schema.get())
      self.init(
        .plain { connection, table in
          try form("\(identifier: table).\(identifier: name)", name, connection)
        })
    } catch {
      self.init(.failure(error))
    }
  }

  /// Returns the SQL of the condition, in a statement in which the table of the model has the name `table`.
  func sql(_ connection: Connection, _ table: String = M.table.name) throws -> SQL {
    switch content {
    case .plain(let sql): try sql(connection, table)
    case .failure(let error): throw error
    case .not(let condition): "NOT (\(try condition.sql(connection, table)))"
    case .all(let conditions): try Self.group(conditions, " AND ", connection, table) ?? "1"
    case .any(let conditions): try Self.group(conditions, " OR ", connection, table) ?? "0"
    }
  }

  private static func group(
    _ conditions: [Condition], _ separator: SQL, _ connection: Connection, _ table: String
  ) throws -> SQL? {
    conditions.isEmpty ? nil : try group(conditions[...], separator, connection, table)
  }

  /// Joins the conditions as a balanced tree, because SQLite limits the depth of an expression.
  private static func group(
    _ conditions: ArraySlice<Condition>, _ separator: SQL, _ connection: Connection,
    _ table: String
  ) throws -> SQL {
    guard conditions.count > 1 else {
      return "(\(try conditions[conditions.startIndex].sql(connection, table)))"
    }
    let half = conditions.startIndex + conditions.count / 2
    return "(\(try group(conditions[..<half], separator, connection, table))\(separator)"
      + "\(try group(conditions[half...], separator, connection, table)))"
  }
}

extension Condition {
  /// Returns a condition that requires all of these conditions; without conditions, every row matches.
  public static func all(_ conditions: [Condition]) -> Condition { Condition(.all(conditions)) }

  /// Returns a condition that requires any of these conditions; without conditions, no row matches.
  public static func any(_ conditions: [Condition]) -> Condition { Condition(.any(conditions)) }

  /// Creates a condition from SQL with bound values: `.sql("length(name) > \(3)")`.
  public static func sql(_ sql: SQL) -> Condition { Condition(.plain { _, _ in sql }) }

  /// Compares the column with this name to a value.
  public static func column(
    _ name: String, _ comparison: Comparison, _ value: (some Encodable & Sendable)?
  ) -> Condition {
    compare({ try $0.column(named: name) }, comparison, value)
  }

  /// Compares the column with this name to NULL: `.column("age", .is, nil)`.
  public static func column(
    _ name: String, _ comparison: Comparison, _ value: Never?
  ) -> Condition {
    compare({ try $0.column(named: name) }, comparison, nil as Int?)
  }

  /// Tests whether the column with this name contains one of these values; without values, no row matches.
  public static func column(
    _ name: String, in values: some Sequence<some Encodable & Sendable>
  ) -> Condition {
    let values = Array(values)
    return Condition(
      { try $0.column(named: name) }, form: { try list($0, $1, values, $2) })
  }
}

extension Condition {
  @available(*, unavailable, message: "Negate the condition: !.in(…)")
  public static func notIn<Value: Encodable & Sendable>(
    _ property: KeyPath<M, Value>, _ values: some Sequence<Value>
  ) -> Condition {
    !.in(property, values)
  }

  /// Tests whether a property is one of these values; without values, no row matches.
  ///
  /// NULL never matches.
  public static func `in`<Value: Encodable & Sendable>(
    _ property: KeyPath<M, Value>, _ values: some Sequence<Value>
  ) -> Condition {
    let values = Array(values)
    return Condition(
      { try $0.column(property) }, form: { try list($0, $1, values, $2) })
  }

  /// Tests whether an optional property is one of these values.
  public static func `in`<Value: Encodable & Sendable>(
    _ property: KeyPath<M, Value?>, _ values: some Sequence<Value>
  ) -> Condition {
    let values = Array(values)
    return Condition(
      { try $0.column(property) }, form: { try list($0, $1, values, $2) })
  }

  /// Tests whether a property is within a range, including both ends.
  public static func between<Value: Encodable & Sendable & Comparable>(
    _ property: KeyPath<M, Value>, _ range: ClosedRange<Value>
  ) -> Condition {
    Condition({ try $0.ordered($0.column(property)) }, form: { try between($0, $1, range, $2) })
  }

  /// Tests whether an optional property is within a range, including both ends.
  public static func between<Value: Encodable & Sendable & Comparable>(
    _ property: KeyPath<M, Value?>, _ range: ClosedRange<Value>
  ) -> Condition {
    Condition({ try $0.ordered($0.column(property)) }, form: { try between($0, $1, range, $2) })
  }

  static func compare(
    _ column: (TableSchema<M>) throws -> String, _ comparison: Comparison,
    _ value: (some Encodable & Sendable)?
  ) -> Condition {
    Condition(
      { comparison.isOfOrder ? try $0.ordered(column($0)) : try column($0) },
      form: { column, name, connection in
        "\(column) \(raw: comparison.rawValue) \(try connection.operand(value, name, of: M.self))"
      })
  }

  private static func list<Value: Encodable>(
    _ column: SQL, _ name: String, _ values: [Value], _ connection: Connection
  ) throws -> SQL {
    // The plus sign makes SQLite convert a value as it converts a bound one, so that 1 equals '1' in a TEXT column.
    let values = try values.map { try connection.operand($0, name, of: M.self) }
    return "\(column) IN (SELECT +value FROM \(values))"
  }

  private static func between<Value: Encodable & Sendable>(
    _ column: SQL, _ name: String, _ range: ClosedRange<Value>, _ connection: Connection
  ) throws -> SQL {
    let low = try connection.operand(range.lowerBound, name, of: M.self)
    let high = try connection.operand(range.upperBound, name, of: M.self)
    return "\(column) BETWEEN \(low) AND \(high)"
  }

  /// Tests whether text matches a pattern.
  public static func like(_ property: KeyPath<M, String>, _ pattern: LikePattern) -> Condition {
    Condition({ try $0.column(property) }, form: { column, _, _ in try like(column, pattern) })
  }

  /// Tests whether optional text matches a pattern.
  public static func like(_ property: KeyPath<M, String?>, _ pattern: LikePattern) -> Condition {
    Condition({ try $0.column(property) }, form: { column, _, _ in try like(column, pattern) })
  }

  /// Tests whether a full-text table matches a pattern at the row's key.
  ///
  /// ```swift
  /// let found = try connection.fetch(
  ///   Note.where(.matches(pattern, in: "note_index")).order(
  ///     by: .relevance(of: pattern, in: "note_index")))
  /// ```
  ///
  /// The rowids of the full-text table must be the keys of the model's rows, as in a table that
  /// ``Connection/createFullTextIndex(_:on:columns:tokenize:prefixes:schema:)`` creates.
  public static func matches(_ pattern: FTS5Pattern, in table: String) -> Condition {
    Condition(
      .plain { connection, name in
        """
        \(try rowidColumn(connection, name)) IN \
        (SELECT rowid FROM \(identifier: table) WHERE \(identifier: table) MATCH \(pattern))
        """
      })
  }

  /// Returns the column that contains the rowid of each row.
  static func rowidColumn(
    _ connection: Connection? = nil, _ table: String = M.table.name
  ) throws -> SQL {
    let schema = try M.table.schema.get()
    let key = schema.keyNames[0]
    var isInteger = M.Key.self is any FixedWidthInteger.Type
    if !isInteger {
      // A type that encodes itself can store an integer, which only the connection knows.
      let isOther =
        M.Key.self is any SQLValue.Type || M.Key.self == UUID.self || M.Key.self == Date.self
      isInteger =
        try !isOther && connection.map { try $0.columnTypes(of: M.self)[key] == .integer } != false
    }
    guard schema.keyNames.count == 1, isInteger else {
      throw SQLiteError(
        .misuse, "A full-text query needs a model with a single integer key, unlike \(M.self)")
    }
    return "\(identifier: table).\(identifier: key)"
  }

  private static func like(_ column: SQL, _ pattern: LikePattern) throws -> SQL {
    // SQLite would ignore the pattern after a NUL, and so match the wrong rows.
    guard !pattern.text.utf8.contains(0) else {
      throw SQLiteError(.misuse, "A LIKE pattern must not contain NUL")
    }
    return "\(column) LIKE \(pattern.text)\(raw: pattern.hasEscapes ? " ESCAPE '\\'" : "")"
  }
}
