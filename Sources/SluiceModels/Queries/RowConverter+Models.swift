public import Sluice
package import SluiceCore

/// A model, or an optional model, that is read from some of the columns of a joined row.
///
/// All models conform to this protocol; do not conform other types. See `RowConverter.models`.
public protocol JoinedModel: Sendable, SendableMetatype {
  /// The names of the columns, in the order in which a joined row contains them.
  static var joinedColumnNames: [String] { get throws }

  /// Whether an outer join may have found no row.
  static var canBeMissing: Bool { get }

  /// Creates a value from a row in which names refer only to the columns of the value.
  ///
  /// If `isMissing` is true, an outer join has found no row.
  static func joined(row: borrowing Row, isMissing: Bool) throws -> Self
}

extension Model {
  public static var joinedColumnNames: [String] { get throws { try table.schema.get().read.names } }

  @inlinable
  public static var canBeMissing: Bool { false }

  @inlinable
  public static func joined(row: borrowing Row, isMissing: Bool) throws -> Self {
    try Self(row: row)
  }
}

extension Model {
  fileprivate static var hasOnlyNullableColumns: Bool {
    get throws { try !table.schema.get().columns.contains { $0.isMapped && $0.isNotNull } }
  }
}

extension Optional: JoinedModel where Wrapped: Model {
  public static var joinedColumnNames: [String] { get throws { try Wrapped.joinedColumnNames } }

  @inlinable
  public static var canBeMissing: Bool { true }

  @inlinable
  public static func joined(row: borrowing Row, isMissing: Bool) throws -> Self {
    isMissing ? nil : try Wrapped(row: row)
  }
}

extension RowConverter {
  /// Returns a converter for joined rows, which creates one model from the columns of each table.
  ///
  /// ```swift
  /// let shelf = try connection.query(
  ///   .models(Book.self, Author?.self),
  ///   """
  ///   SELECT \(columns: Book.self), \(columns: Author.self)
  ///   FROM book LEFT JOIN author ON author.id = book.author
  ///   """)
  /// for (book, author) in shelf { print(book.title, author?.name ?? "unknown") }
  /// ```
  ///
  /// The columns of the models must be the first columns of the row, in the order of the types. An optional model
  /// is nil if all of its columns are NULL, as an outer join leaves them. Columns with the same name in several
  /// tables do not conflict. In ``Model/init(row:)`` of a joined model, read columns by name, not by index.
  ///
  /// If the columns in these places have other names, the converter throws ``ResultCode/misuse``.
  @inlinable
  public static func models<First: JoinedModel, Second: JoinedModel, each Other: JoinedModel>(
    _ first: First.Type, _ second: Second.Type, _ others: repeat (each Other).Type
  ) -> Self where Value == (First, Second, repeat each Other) {
    let owner = ObjectIdentifier((First, Second, repeat each Other).self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first, second, repeat each others)
      }
      return try (
        parts.next(first, row), parts.next(second, row), repeat parts.next((each Other).self, row)
      )
    }
  }

  /// Returns a converter for joined rows, which creates two models.
  @inlinable
  public static func models<First: JoinedModel, Second: JoinedModel>(
    _ first: First.Type, _ second: Second.Type
  ) -> Self where Value == (First, Second) {
    let owner = ObjectIdentifier((First, Second).self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first, second)
      }
      return try (parts.next(first, row), parts.next(second, row))
    }
  }

  /// Returns a converter for joined rows, which creates three models.
  @inlinable
  public static func models<First: JoinedModel, Second: JoinedModel, Third: JoinedModel>(
    _ first: First.Type, _ second: Second.Type, _ third: Third.Type
  ) -> Self where Value == (First, Second, Third) {
    let owner = ObjectIdentifier((First, Second, Third).self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first, second, third)
      }
      return try (parts.next(first, row), parts.next(second, row), parts.next(third, row))
    }
  }

  /// Returns a converter for joined rows in which another column, such as a count, follows those of the models.
  ///
  /// ```swift
  /// let counted = try connection.query(
  ///   .models(Author.self, and: .int),
  ///   """
  ///   SELECT \(columns: Author.self), count(book.id)
  ///   FROM author LEFT JOIN book ON book.author = author.id GROUP BY author.id
  ///   """)
  /// for (author, books) in counted { print(author.name, books) }
  /// ```
  ///
  /// `column` reads the first column after those of the models. In all other respects, this function behaves like the
  /// one without it.
  @inlinable
  public static func models<First: JoinedModel, each Other: JoinedModel, Column>(
    _ first: First.Type, _ others: repeat (each Other).Type,
    and column: ColumnValueConverter<Column>
  ) -> Self where Value == (First, repeat each Other, Column) {
    let owner = ObjectIdentifier((First, repeat each Other).self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first, repeat each others)
      }
      return try (
        parts.next(first, row), repeat parts.next((each Other).self, row),
        row.get(column, at: parts.end)
      )
    }
  }

  /// Returns a converter for rows with the columns of a model and another column.
  @inlinable
  public static func models<First: JoinedModel, Column>(
    _ first: First.Type, and column: ColumnValueConverter<Column>
  ) -> Self where Value == (First, Column) {
    let owner = ObjectIdentifier(First.self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first)
      }
      return try (parts.next(first, row), row.get(column, at: parts.end))
    }
  }

  /// Returns a converter for rows with the columns of two models and another column.
  @inlinable
  public static func models<First: JoinedModel, Second: JoinedModel, Column>(
    _ first: First.Type, _ second: Second.Type, and column: ColumnValueConverter<Column>
  ) -> Self where Value == (First, Second, Column) {
    let owner = ObjectIdentifier((First, Second).self)
    return Self { row in
      var parts = try RowParts(of: row, for: owner) { names in
        try JoinedColumns.parts(of: names, first, second)
      }
      return try (parts.next(first, row), parts.next(second, row), row.get(column, at: parts.end))
    }
  }
}

// The compiler cannot convert an expression to `Any` if it reads a member of a result whose type contains a pack:
// `print(try connection.query(…).count)`. For that reason, the most common forms exist without packs.
//
// All forms are inlinable, because the compiler can unroll a pack only in the module that chooses the types. They do not
// share code, because the compiler of Swift 6.3 crashes while it optimizes a pack that is passed on.

extension RowParts {
  @inlinable @inline(__always)
  mutating func next<T: JoinedModel>(_ type: T.Type, _ row: borrowing Row) throws -> T {
    try withNext { part in
      // The test costs more than it saves for a model that cannot be read from NULL: reading it throws.
      if T.canBeMissing || part.canBeNull, try row.isNull(part) {
        guard T.canBeMissing else { throw JoinedColumns.missingRow(of: T.self) }
        return try T.joined(row: row, isMissing: true)
      }
      do { return try row.read(part) { row in try T.joined(row: row, isMissing: false) } } catch {
        throw try row.isNull(part) ? JoinedColumns.missingRow(of: T.self) : error
      }
    }
  }
}

/// The columns of the models in a joined row.
@usableFromInline enum JoinedColumns {
  /// Returns the columns of each model; throws if a row does not begin with them.
  @inline(never) @usableFromInline
  static func parts<each T: JoinedModel>(
    of names: [String], _ types: repeat (each T).Type
  ) throws -> [ColumnPart] {
    var parts: [ColumnPart] = []
    var start = 0
    for type in repeat each types {
      let own = try type.joinedColumnNames
      let found = names.dropFirst(start).prefix(own.count)
      guard found.elementsEqual(own, by: isColumn) else {
        throw SQLiteError(
          .misuse,
          """
          Columns \(start) to \(start + own.count - 1) must be those of \(name(of: type)) \
          (\(own.joined(separator: ", "))), but are (\(found.joined(separator: ", "))): \
          write \\(columns: \(name(of: type)).self), and list the models in the order of the columns
          """)
      }
      parts.append(
        ColumnPart(
          own.enumerated().map { (start + $0, $1) }, of: names, canBeNull: try canBeNull(type)))
      start += own.count
    }
    return parts
  }

  /// Returns whether all columns of a model can be NULL.
  private static func canBeNull(_ type: any JoinedModel.Type) throws -> Bool {
    guard let model = type as? any Model.Type else { return true }
    return try model.hasOnlyNullableColumns
  }

  /// Returns whether a column has a name, or a prefix and the name.
  private static func isColumn(_ column: String, _ name: String) -> Bool {
    let (column, name) = (foldedName(column), foldedName(name))
    return column == name || column.hasSuffix(".\(name)")
  }

  /// Returns the error for a model that is not optional, although an outer join has found no row for it.
  @inline(never) @usableFromInline
  static func missingRow(of type: any JoinedModel.Type) -> SQLiteError {
    SQLiteError(
      .mismatch,
      """
      All columns of \(name(of: type)) are NULL, as an outer join leaves them: write \(name(of: type))?.self
      """)
  }

  private static func name(of type: any JoinedModel.Type) -> String {
    "\((type as? any OptionalType.Type)?.wrappedType ?? type)"
  }
}

extension SQL.StringInterpolation {
  /// Inserts the columns of a model's table, separated by commas, for a SELECT statement.
  ///
  /// ```swift
  /// "SELECT \(columns: Book.self, of: "b"), \(columns: Author.self, of: "a") FROM book b JOIN author a"
  /// ```
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - alias: The name of the table in the statement; nil for its own name.
  ///   - name: The name of a property. The names of the columns then begin with this name and a period, and a
  ///     `Decodable` type with this property reads them as one value. If it is nil, the names have no prefix.
  public mutating func appendInterpolation<M: Model>(
    columns model: M.Type, of alias: String? = nil, as name: String? = nil
  ) {
    let table = alias ?? M.table.name
    // If the declaration of the table is invalid, reading the row throws the reason.
    guard let schema = try? M.table.schema.get() else {
      return appendInterpolation(raw: "\(quoted(table)).*")
    }
    let prefix = quoted(table) + "."
    let columns = schema.read.names.map { column in
      // A nested value is decoded with the strategies of the connection, which may not convert the names of its keys.
      let alias = name.map { "\($0).\(schema.examples.key(of: column))" } ?? column
      return "\(prefix)\(quoted(column)) AS \(quoted(alias))"
    }
    appendInterpolation(raw: columns.joined(separator: ", "))
  }
}
