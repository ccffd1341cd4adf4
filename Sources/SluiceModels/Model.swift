public import Sluice

/// A type whose values are the rows of a table.
///
/// A `Codable` struct declares only its table and its key. Its coding keys are the column names, unless
/// ``TablePart/columnNames(_:)`` converts them. A property without a coding key is not stored.
///
/// ```swift
/// struct Person: Codable, Model {
///   static let table = ModelTable("person", key: \Person.id)
///   var id: Int64?  // assigned by SQLite
///   var name: String
///   var age: Int?
/// }
/// ```
///
/// A type that is not `Codable` reads and writes its own rows, and lists its columns in its table.
///
/// Declare the table as a `static let`, so that the declaration is evaluated only once.
public protocol Model: JoinedModel, RowConvertible {
  /// The type of the key: the type of one property, or a tuple of the types of several properties.
  ///
  /// It follows from the declaration of the table.
  associatedtype Key: Sendable

  /// The table that stores the values as rows.
  static var table: ModelTable<Self, Key> { get }

  /// Creates a value from a row that contains all columns of the table, under their names.
  init(row: borrowing Row) throws

  /// Returns the values to store, by column name; a missing column becomes NULL.
  func columnValues(for connection: Connection) throws -> ColumnValues
}

extension Model {
  @available(
    *, unavailable,
    message:
      "A model declares its table: static let table = ModelTable(\"person\", key: \\Person.id)"
  )
  @_documentation(visibility: internal)
  public static var table: ModelTable<Self, Never> {
    fatalError("The compiler rejects every use")
  }
}

extension Model where Self: Decodable {
  /// Creates a value by decoding a row, with the connection's coding strategies and the table's column names.
  public init(row: borrowing Row) throws {
    self = try row.decode(Self.self)
  }
}

extension Model where Self: Encodable {
  /// Encodes the value, with the connection's coding strategies and the table's column names.
  public func columnValues(for connection: Connection) -> ColumnValues {
    ColumnValues(encoding: self)
  }
}

extension Row {
  /// Decodes a model from a row that contains all columns of its table, under their names.
  public func decode<M: Model & Decodable>(_ model: M.Type = M.self) throws -> M {
    try decode(model: model, M.table.schema.get().read)
  }
}
