public import SluiceCore

/// A decoder that creates a `Decodable` value from a row.
///
/// ```swift
/// let decoder = RowDecoder(CodingStrategies(dates: .julianDay))
/// try connection.execute(sql: "SELECT * FROM person") { row in
///   people.append(try decoder.decode(Person.self, from: row))
/// }
/// ```
///
/// Each property is read from the column with its name. Columns are converted as in ``Row/get(_:named:)``: a
/// conversion that would lose information throws. A type with a single value, such as an `Int` or a `Date`, is
/// read from the first column, and an array from all columns in order.
///
/// A value that cannot be decoded throws a `DecodingError` with its path. If an ``SQLiteError`` caused it, that
/// error is the underlying error. The `DecodingError` is `keyNotFound` for a missing column, `valueNotFound` for
/// NULL, `typeMismatch` for a value of another kind, and `dataCorrupted` for a value that is invalid for the type.
///
/// To decode with the strategies of the statement, use ``Row/decode(_:)``.
public struct RowDecoder: Sendable {
  private var settings: CodingSettings

  /// Creates a decoder whose strategies replace the strategies of connections and statements.
  ///
  /// Types that decode themselves can access `userInfo`.
  public init(
    _ strategies: CodingStrategies = CodingStrategies(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    settings = CodingSettings(strategies, userInfo: userInfo)
  }

  /// Decodes a value from a row.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from row: borrowing Row) throws -> T {
    try row.source.coding.reading(settings, for: row.source).decode(type, of: row.reference())
  }
}

extension Row {
  /// Decodes a value from the row, with the strategies of the statement; see ``RowDecoder``.
  ///
  /// ```swift
  /// let person = try row.decode(Person.self)
  /// ```
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    try source.coding.reading(for: source).decode(type, of: reference())
  }
}

extension RowValues {
  /// Decodes a value from the copy of a row; see ``RowDecoder``.
  ///
  /// A copy has no connection, so pass a decoder if its values have other representations than the default ones.
  public func decode<T: Decodable & SendableMetatype>(
    _ type: T.Type = T.self, by decoder: RowDecoder = RowDecoder()
  ) throws -> T {
    try converted(.decoding(type, by: decoder))
  }
}

extension RowConverter where Value: Decodable & SendableMetatype {
  /// Returns a converter that decodes each row, with the strategies of the statement or with a given decoder.
  ///
  /// ```swift
  /// let mapper = TableMapper("person", .decoding(Person.self))
  /// ```
  ///
  /// Without a decoder, a type that is ``RowConvertible`` creates its values itself.
  public static func decoding(
    _ type: Value.Type = Value.self, by decoder: RowDecoder? = nil
  ) -> Self {
    if let decoder { return Self { row in try decoder.decode(from: row) } }
    if let type = type as? any RowConvertible.Type, let own = own(type) { return own }
    return Self { row in try row.decode() }
  }

  /// Returns the converter that calls `init(row:)`; nil if `type` is not `Value`.
  private static func own<T: RowConvertible>(_ type: T.Type) -> Self? {
    RowConverter<T> { row in try T(row: row) } as? Self
  }
}
