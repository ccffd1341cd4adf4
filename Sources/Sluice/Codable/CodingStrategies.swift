import SluiceCore

/// The stored representations of `Codable` properties, where there is a choice.
///
/// ```swift
/// connection.codingStrategies = CodingStrategies(dates: .julianDay, keys: .snakeCase)
/// ```
///
/// The same strategies decode rows and encode parameters, so that values are read as they were stored. Strategies
/// can be set for all connections of a ``Configuration``, for one connection, for one statement, and for one
/// ``RowDecoder`` or ``StatementEncoder``. The last of these that is set applies.
public struct CodingStrategies: Sendable {
  /// The stored representation of a `Date`.
  ///
  /// Existing rows must be read with the strategy that wrote them; see ``DateStrategy``.
  public var dates: DateStrategy
  /// The stored representation of `Data`.
  public var data: DataStrategy
  /// The stored representation of a `UUID`.
  public var uuids: UUIDStrategy
  /// The stored representation of several values in one column: arrays, dictionaries and structs.
  public var nested: NestedStrategy
  /// The mapping from properties to columns and parameters.
  public var keys: KeyStrategy
  /// The treatment of a property for which the SQL has no parameter.
  public var propertiesWithoutParameter: UnmatchedProperty
  /// The treatment of a parameter for which the value has no property.
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
  /// The strategies that read the rows of GRDB, and write them as GRDB does by default.
  ///
  /// Dates are ``DateStrategy/grdb``, UUIDs are blobs of 16 bytes, data is a blob, and nested values are
  /// ``NestedStrategy/grdb``. Two things differ. Dates before October 15, 1582 are other days for GRDB, because
  /// Foundation's calendar is the Julian one there. `[UInt8]` is a blob in Sluice and JSON in GRDB.
  public static let grdb = CodingStrategies(dates: .grdb, uuids: .bytes, nested: .grdb)
}

/// The stored representation of `Data`.
public enum DataStrategy: Hashable, Sendable {
  /// A blob.
  case blob
  /// Base64 text.
  case base64
}

/// The stored representation of a `UUID`; both forms are read.
public enum UUIDStrategy: Hashable, Sendable {
  /// The 36 characters of the UUID in uppercase.
  case text
  /// A blob of 16 bytes.
  case bytes
}

/// The stored representation of several values in one column.
public enum NestedStrategy: Hashable, Sendable {
  /// JSON text, which SQL's JSON functions can read.
  ///
  /// Keys are sorted. Dates inside it are stored as ``CodingStrategies/dates`` specifies, and data is Base64.
  case json
  /// The JSON text that GRDB writes.
  ///
  /// It is ``json``, but dates inside it are milliseconds since 1970, and a backslash precedes each slash.
  case grdb
  /// A blob that contains a binary property list.
  ///
  /// Dates and data inside it are those of the property list.
  case propertyList
}

/// The treatment of a property for which the SQL has no parameter.
public enum UnmatchedProperty: Hashable, Sendable {
  /// Encoding throws, because the value of the property would be lost.
  case refused
  /// The property is left out: `UPDATE person SET name = :name WHERE id = :id`.
  case leftOut
}

/// The treatment of a parameter for which the value has no property.
public enum UnmatchedParameter: Hashable, Sendable {
  /// Encoding throws, even if a value was bound to the parameter before.
  case refused
  /// The parameter keeps the value that was bound to it.
  ///
  /// A statement does not run while one of its parameters has no value.
  case kept
}
