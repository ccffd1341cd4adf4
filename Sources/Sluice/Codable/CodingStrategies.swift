import SluiceCore

/// How the properties of `Codable` types are stored where there is a choice.
///
/// ```swift
/// connection.codingStrategies = CodingStrategies(dates: .julianDay, keys: .snakeCase)
/// ```
///
/// The same strategies decode rows and encode parameters, so that what was stored is what is read. They
/// can be chosen for a connection, for all connections of a ``Configuration``, for one statement, and
/// for one ``RowDecoder`` or ``StatementEncoder``; of these, the last that says something counts.
public struct CodingStrategies: Sendable {
  /// How a `Date` is stored.
  ///
  /// It has to be that by which the rows were written that are there: see ``DateStrategy``.
  public var dates: DateStrategy
  /// How `Data` is stored.
  public var data: DataStrategy
  /// How a `UUID` is stored.
  public var uuids: UUIDStrategy
  /// How what consists of several values is stored in one column: arrays, dictionaries and structs.
  public var nested: NestedStrategy
  /// Which column or parameter belongs to a property.
  public var keys: KeyStrategy
  /// The treatment of a property for which the SQL has no parameter.
  public var propertiesWithoutParameter: UnmatchedProperty
  /// The treatment of a parameter for which there is no property.
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
  /// The strategies that read the rows of GRDB, and write what GRDB writes by default.
  ///
  /// Dates are ``DateStrategy/grdb``, UUIDs are blobs of 16 bytes, data is a blob, and nested values are
  /// ``NestedStrategy/grdb``. Two things differ: dates before October 15, 1582 are other days for GRDB, as
  /// Foundation's calendar is the Julian one there; and `[UInt8]` is a blob here, and JSON for GRDB.
  public static let grdb = CodingStrategies(dates: .grdb, uuids: .bytes, nested: .grdb)
}

/// How `Data` is stored.
public enum DataStrategy: Hashable, Sendable {
  /// As a blob.
  case blob
  /// As text in Base64.
  case base64
}

/// How a `UUID` is stored; either form is read.
public enum UUIDStrategy: Hashable, Sendable {
  /// As its 36 characters in capitals.
  case text
  /// As a blob of its 16 bytes.
  case bytes
}

/// How what consists of several values is stored in one column.
public enum NestedStrategy: Hashable, Sendable {
  /// As the text of its JSON, which the JSON functions of SQL can look into.
  ///
  /// Keys are sorted. Dates in it are what ``CodingStrategies/dates`` makes of them, and data is Base64.
  case json
  /// As the text of the JSON that GRDB writes: ``json``, but dates in it are milliseconds since 1970, and
  /// each slash has a backslash before it.
  case grdb
  /// As a blob, which is its binary property list.
  ///
  /// Dates and data in it are those of the property list.
  case propertyList
}

/// The treatment of a property for which the SQL has no parameter.
public enum UnmatchedProperty: Hashable, Sendable {
  /// It is an error, as it would be lost.
  case refused
  /// It is left out: `UPDATE person SET name = :name WHERE id = :id`.
  case leftOut
}

/// The treatment of a parameter for which there is no property.
public enum UnmatchedParameter: Hashable, Sendable {
  /// It is an error, also if the parameter has a value from before.
  case refused
  /// It keeps what was bound to it, and a statement of which one has no value does not run.
  case kept
}
