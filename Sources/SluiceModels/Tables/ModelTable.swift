import Sluice

/// The table of a model: its name, its key, and its constraints.
///
/// ```swift
/// struct Message: Codable, Model {
///   static let table = ModelTable(
///     "message", key: \Message.id, .strict,
///     .column(\.person, .references(Person.self, onDelete: .cascade)),
///     .column(\.text, .check(sql: "length(text) < 1000")),
///     .index(\.person, \.sent))
///   var id: Int64?
///   var person: Int64
///   var text: String
///   var sent: Date
/// }
/// ```
///
/// Of a `Codable` model, the columns are found by decoding examples of it. A property that is not
/// optional is NOT NULL, and the type of a column is that of what is stored. If no example can be
/// made, which is so for an enumeration that is not `CaseIterable`, or for an initializer that
/// refuses it, everything that uses the table throws ``ResultCode/misuse`` and says why.
///
/// To make one takes time, so it is kept: as a `static let`, or where a generic type has none, in a
/// dictionary.
public struct ModelTable<Value: Sendable, Key: Sendable>: Sendable {
  /// The name of the table.
  public let name: String
  let schema: Result<TableSchema<Value>, any Error>
  /// How the names of columns are made of those of properties.
  let keys: KeyStrategy
  /// Each part of a key, to be bound.
  let keyValues: @Sendable (Key) -> [any Encodable & Sendable]
  /// The parts of the key of a row.
  let key: @Sendable (Value) -> Key?
  /// Puts a key that SQLite has assigned into a value; nil if it never does.
  let assign: (@Sendable (inout Value, borrowing Row) throws -> Void)?

  /// The names of the columns, in order; those that are generated are among them.
  public var columnNames: [String] { get throws { try schema.get().columns.map(\.name) } }

  /// The names of the columns that make up the key.
  public var keyNames: [String] { get throws { try schema.get().keyNames } }
}

extension ModelTable where Value: Codable {
  /// The table of a model whose key SQLite assigns, if it is nil when a row is inserted.
  public init(
    _ name: String, key: any WritableKeyPath<Value, Key?> & Sendable, _ parts: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try TableSchema(name, keys: [key], parts, examples: .decoding(parts.keys()))
    }
    self.init(
      name: name, schema: schema, keys: parts.keys(), keyValues: { [$0] },
      key: { $0[keyPath: key] },
      assign: { $0[keyPath: key] = try $1.decode(Key.self) })
  }

  /// The table of a model that says its key itself.
  public init(
    _ name: String, key: any KeyPath<Value, Key> & Sendable, _ parts: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try refuseConstant(Key.self)
      return try TableSchema(name, keys: [key], parts, examples: .decoding(parts.keys()))
    }
    self.init(
      name: name, schema: schema, keys: parts.keys(), keyValues: { [$0] },
      key: { $0[keyPath: key] }, assign: nil)
  }

  /// The table of a model that has a key of two properties.
  public init<First: Codable, Second: Codable>(
    _ name: String, key first: any KeyPath<Value, First> & Sendable,
    _ second: any KeyPath<Value, Second> & Sendable, _ parts: TablePart<Value>...
  ) where Key == (First, Second) {
    let schema = Result {
      try TableSchema(name, keys: [first, second], parts, examples: .decoding(parts.keys()))
    }
    self.init(
      name: name, schema: schema, keys: parts.keys(), keyValues: { [$0.0, $0.1] },
      key: { ($0[keyPath: first], $0[keyPath: second]) }, assign: nil)
  }

  /// The table of a model that has a key of three properties.
  public init<First: Codable, Second: Codable, Third: Codable>(
    _ name: String, key first: any KeyPath<Value, First> & Sendable,
    _ second: any KeyPath<Value, Second> & Sendable, _ third: any KeyPath<Value, Third> & Sendable,
    _ parts: TablePart<Value>...
  ) where Key == (First, Second, Third) {
    let schema = Result {
      try TableSchema(name, keys: [first, second, third], parts, examples: .decoding(parts.keys()))
    }
    self.init(
      name: name, schema: schema, keys: parts.keys(), keyValues: { [$0.0, $0.1, $0.2] },
      key: { ($0[keyPath: first], $0[keyPath: second], $0[keyPath: third]) }, assign: nil)
  }
}

extension ModelTable {
  /// The table of a model that is not `Codable`: each of its columns is one of the parts, as
  /// ``TablePart/column(_:_:_:_:)``.
  public init(
    _ name: String, key: any KeyPath<Value, Key> & Sendable, columns: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try refuseConstant(Key.self)
      return try TableSchema(name, keys: [key], columns, examples: .none)
    }
    self.init(
      name: name, schema: schema, keys: .asWritten, keyValues: { [$0] }, key: { $0[keyPath: key] },
      assign: nil)
  }

  /// The table of a model that is not `Codable`, and whose key SQLite assigns.
  public init(
    _ name: String, key: any WritableKeyPath<Value, Key?> & Sendable, columns: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result { try TableSchema(name, keys: [key], columns, examples: .none) }
    self.init(
      name: name, schema: schema, keys: .asWritten, keyValues: { [$0] }, key: { $0[keyPath: key] },
      assign: { $0[keyPath: key] = try $1.decode(Key.self) })
  }
}

/// A key that can be nil and cannot be written would stay nil when SQLite has assigned it.
private func refuseConstant<Key>(_ key: Key.Type) throws {
  guard key is any OptionalType.Type else { return }
  throw SQLiteError(.misuse, "A key that SQLite assigns is put into a var: this one is a constant")
}
