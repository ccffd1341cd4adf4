import SluiceCore

/// The stored representations of `Codable` values that can be stored in several ways.
///
/// ```swift
/// connection.codingStrategies = CodingStrategies(dates: .julianDay, keys: .snakeCase)
/// ```
///
/// The same strategies decode rows and encode parameters, so that values are read as they were stored. Strategies
/// can be set for all connections with a ``Configuration``, for one connection, for one statement, and for one
/// ``RowDecoder`` or ``StatementEncoder``. A later setting in this list overrides an earlier one.
public struct CodingStrategies: Sendable {
  /// The stored representation of a `Date`.
  ///
  /// Read existing rows with the strategy that wrote them; see ``DateStrategy``.
  public var dates: DateStrategy
  /// The stored representation of `Data`.
  public var data: DataStrategy
  /// The stored representation of a `UUID`.
  public var uuids: UUIDStrategy
  /// The stored representation of arrays, dictionaries and structs in one column.
  public var nested: NestedStrategy
  /// The mapping from properties to columns and parameters.
  public var keys: KeyStrategy
  /// The representations of single properties, by coding key.
  public var representations: [String: ColumnRepresentation] = [:]
  /// The prefixes of the columns of nested values that have columns of their own, by the coding key of the property.
  var groups: [String: String] = [:]
  /// The treatment of a property that has no parameter in the SQL.
  public var propertiesWithoutParameter: UnmatchedProperty
  /// The treatment of a parameter that has no property in the value.
  public var parametersWithoutProperty: UnmatchedParameter

  public init(
    dates: DateStrategy = .sqlite, data: DataStrategy = .blob, uuids: UUIDStrategy = .text,
    nested: NestedStrategy = .json, keys: KeyStrategy = .asWritten,
    propertiesWithoutParameter: UnmatchedProperty = .refused,
    parametersWithoutProperty: UnmatchedParameter = .refused
  ) {
    self.dates = dates
    self.data = data
    self.uuids = uuids
    self.nested = nested
    self.keys = keys
    self.propertiesWithoutParameter = propertiesWithoutParameter
    self.parametersWithoutProperty = parametersWithoutProperty
  }
}

extension CodingStrategies {
  /// Returns the name of the column or parameter for a property, which may be one of a nested value: `address.street`.
  func name(of property: String) -> String {
    guard !groups.isEmpty, let period = property.lastIndex(of: "."),
      let prefix = groups[String(property[..<period])]
    else { return keys.name(of: property) }
    return prefix + keys.name(of: String(property[property.index(after: period)...]))
  }
}

extension CodingStrategies {
  /// The strategies that read rows written by GRDB, and write rows as GRDB does by default.
  ///
  /// Dates are ``DateStrategy/grdb``, UUIDs are blobs of 16 bytes, data is a blob, and nested values are
  /// ``NestedStrategy/grdb``. There are two differences. For a date before October 15, 1582, GRDB uses
  /// Foundation's Julian calendar, so it stores another day. `[UInt8]` is a blob in Sluice and JSON in GRDB.
  public static let grdb = CodingStrategies(dates: .grdb, uuids: .bytes, nested: .grdb)
}

/// The stored representation of `Data`.
public enum DataStrategy: Hashable, Sendable {
  /// A blob.
  case blob
  /// Base64 text.
  case base64
}

/// The stored representation of a `UUID`; all representations can be read.
public enum UUIDStrategy: Hashable, Sendable {
  /// The 36 characters of the UUID in uppercase.
  case text
  /// The 36 characters of the UUID in lowercase, as SQLiteData and PostgreSQL write them.
  case lowercaseText
  /// A blob of 16 bytes.
  case bytes
}

/// The stored representation of a value with several parts in one column.
public enum NestedStrategy: Hashable, Sendable {
  /// JSON text, which SQL's JSON functions can read.
  ///
  /// Keys are sorted. Nested dates are stored as ``CodingStrategies/dates`` specifies, and nested data is Base64.
  case json
  /// The JSON text that GRDB writes.
  ///
  /// This representation equals ``json``, except that dates are milliseconds since 1970, and that a backslash
  /// precedes each slash.
  case grdb
  /// A blob that contains a binary property list, with sorted keys.
  ///
  /// Nested dates and data are stored as dates and data of the property list.
  case propertyList
}

/// The treatment of a property that has no parameter in the SQL.
public enum UnmatchedProperty: Hashable, Sendable {
  /// Encoding throws, because the value of the property would be lost.
  case refused
  /// The property is omitted: `UPDATE person SET name = :name WHERE id = :id`.
  case leftOut
}

/// The treatment of a parameter that has no property in the value.
public enum UnmatchedParameter: Hashable, Sendable {
  /// Encoding throws, even if a value was already bound to the parameter.
  case refused
  /// The parameter keeps its bound value.
  ///
  /// A statement throws when it runs while one of its parameters has no value.
  case kept
}
