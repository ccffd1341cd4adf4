public import Sluice

/// A type whose values are rows of a table.
///
/// A struct that is `Codable` needs to say no more than its table and its key. Its coding keys are
/// the columns, unless ``TablePart/columnNames(_:)`` makes others of them; a property without one is not
/// stored.
///
/// ```swift
/// struct Person: Codable, Model {
///   static let table = ModelTable("person", key: \Person.id)
///   var id: Int64?  // SQLite assigns it
///   var name: String
///   var age: Int?
/// }
/// ```
///
/// Any other type says how a row is read and what is written, and names its columns in its table.
///
/// The table is a `static let`: what it says is looked at once.
public protocol Model: Sendable, SendableMetatype {
  /// The type of the key: that of one property, or a tuple of several.
  associatedtype Key: Sendable

  /// The table of which the values are rows.
  static var table: ModelTable<Self, Key> { get }

  /// Makes a value from a row that has all columns of the table, under their names.
  init(row: borrowing Row) throws

  /// Returns the stored values, by the names of the columns; a column that is missing is NULL.
  func columnValues(for connection: Connection) throws -> [String: SQLParameter]
}

extension Model where Self: Decodable {
  /// Decodes the value, by the coding strategies of the connection and the names of the table.
  public init(row: borrowing Row) throws {
    self = try row.decode(Self.self, keys: Self.table.keys)
  }
}

extension Model where Self: Encodable {
  /// Encodes the value, by the coding strategies of the connection and the names of the table.
  public func columnValues(for connection: Connection) throws -> [String: SQLParameter] {
    var strategies = connection.codingStrategies
    strategies.keys = Self.table.keys
    return try StatementEncoder(strategies).parameters(for: self)
  }
}
