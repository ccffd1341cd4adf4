public import SluiceCore

/// Makes a `Decodable` value of a row.
///
/// ```swift
/// let decoder = RowDecoder(CodingStrategies(dates: .julianDay))
/// try connection.execute(sql: "SELECT * FROM person") { row in
///   people.append(try decoder.decode(Person.self, from: row))
/// }
/// ```
///
/// Each property is read from the column of its name. Columns convert as ``Row/get(_:named:)`` does:
/// what would lose something throws. A type with a single value, such as an `Int` or a `Date`, is read
/// from the first column, and an array from all of them in order.
///
/// What cannot be decoded throws a `DecodingError` with the path to it, and with the ``SQLiteError``
/// beneath it where there is one: `keyNotFound` for a column that is missing, `valueNotFound` for NULL,
/// `typeMismatch` for a value of another kind, and `dataCorrupted` for one that means nothing.
///
/// Without a decoder, ``Row/decode(_:)`` does the same with the strategies of the statement.
public struct RowDecoder: Sendable {
  private var settings: CodingSettings

  /// Makes a decoder with strategies, whatever those of connections and statements are.
  ///
  /// `userInfo` is what types find when they decode themselves.
  public init(
    _ strategies: CodingStrategies = CodingStrategies(),
    userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) {
    settings = CodingSettings(strategies, userInfo: userInfo)
  }

  /// Makes a value of a row.
  public func decode<T: Decodable>(_ type: T.Type = T.self, from row: borrowing Row) throws -> T {
    try row.source.coding.reading(settings, for: row.source).decode(type, of: row.again())
  }
}

extension Row {
  /// Makes a `Decodable` value of the row, with the strategies of the statement; see ``RowDecoder``.
  ///
  /// ```swift
  /// let person = try row.decode(Person.self)
  /// ```
  public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
    try source.coding.reading(for: source).decode(type, of: again())
  }
}

extension RowConverter where Value: Decodable & SendableMetatype {
  /// Makes a `Decodable` value of each row, by the strategies of the statement or by a decoder.
  ///
  /// ```swift
  /// let mapper = TableMapper("person", .decoding(Person.self))
  /// ```
  public static func decoding(
    _ type: Value.Type = Value.self, by decoder: RowDecoder? = nil
  ) -> Self {
    guard let decoder else { return Self { row in try row.decode() } }
    return Self { row in try decoder.decode(from: row) }
  }
}
