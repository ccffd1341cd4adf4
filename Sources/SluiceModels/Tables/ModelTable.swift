import Sluice

/// The table of a model, with its name, key, columns and constraints.
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
/// To find the columns of a `Codable` model, Sluice decodes examples of the model. A property that is not
/// optional is NOT NULL, and the type of a column is the type of the stored value. Sluice cannot create an
/// example of an enumeration that is not `CaseIterable`, or of a type whose initializer rejects the generated
/// values. Every use of the table then throws ``ResultCode/misuse``, with the reason.
///
/// Creating a table takes time, so store it in a `static let`. A generic type cannot have a static stored property;
/// store its tables in a dictionary.
public final class ModelTable<Value: Sendable, Key: Sendable>: Sendable {
  /// The name of the table.
  public let name: String
  let schema: Result<TableSchema<Value>, any Error>
  /// The statements of the schema, whose type is not generic and therefore not looked up at each access.
  let statements: Result<TableStatements, any Error>
  /// The closure that returns the values of a key's columns, to be bound to a statement.
  let keyValues: @Sendable (Key) -> [any Encodable & Sendable]
  /// The closure that returns the key of a value; nil if SQLite has not assigned a key yet.
  let key: @Sendable (Value) -> Key?
  /// How to store a key in a value; nil if SQLite never assigns a key.
  let assignment: KeyAssignment?

  struct KeyAssignment: Sendable {
    /// Returns the key in the first column of a row.
    let read: @Sendable (_ row: borrowing Row) throws -> Key
    let set: @Sendable (_ value: inout Value, _ key: Key) -> Void
  }

  private init(
    name: String, schema: Result<TableSchema<Value>, any Error>,
    keyValues: @escaping @Sendable (Key) -> [any Encodable & Sendable],
    key: @escaping @Sendable (Value) -> Key?,
    assignment: KeyAssignment? = nil
  ) {
    self.name = name
    self.schema = schema
    statements = schema.map(\.statements)
    self.keyValues = keyValues
    self.key = key
    self.assignment = assignment
  }

  /// Returns a closure that reads the key of a table.
  private static func read(
    _ schema: Result<TableSchema<Value>, any Error>
  ) -> @Sendable (_ row: borrowing Row) throws -> Key where Key: Decodable {
    { row in
      let schema = try schema.get()
      let property = schema.statements.property(of: schema.keyNames[0])
      return try row.decode(Key.self, at: 0, as: property, of: Value.self, schema.read)
    }
  }

  /// The names of the columns, in order, including generated columns.
  public var columnNames: [String] { get throws { try schema.get().columns.map(\.name) } }

  /// The names of the columns that form the key.
  public var keyNames: [String] { get throws { try schema.get().keyNames } }
}

extension ModelTable where Value: Codable {
  /// Creates the table of a model whose key SQLite assigns if the key is nil.
  public convenience init(
    _ name: String, key: any WritableKeyPath<Value, Key?> & Sendable, _ parts: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try TableSchema(name, keys: [key], parts, examples: .decoding(parts))
    }
    self.init(
      name: name, schema: schema, keyValues: { [$0] },
      key: { $0[keyPath: key] },
      assignment: KeyAssignment(read: Self.read(schema), set: { $0[keyPath: key] = $1 }))
  }

  /// Creates the table of a model that provides its own key.
  public convenience init(
    _ name: String, key: any KeyPath<Value, Key> & Sendable, _ parts: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try refuseConstant(Key.self, of: Value.self)
      return try TableSchema(name, keys: [key], parts, examples: .decoding(parts))
    }
    self.init(
      name: name, schema: schema, keyValues: { [$0] },
      key: { $0[keyPath: key] })
  }

  /// Creates the table of a model whose key consists of two properties.
  public convenience init<First: Codable, Second: Codable>(
    _ name: String, key first: any KeyPath<Value, First> & Sendable,
    and second: any KeyPath<Value, Second> & Sendable, _ parts: TablePart<Value>...
  ) where Key == (First, Second) {
    let schema = Result {
      try TableSchema(name, keys: [first, second], parts, examples: .decoding(parts))
    }
    self.init(
      name: name, schema: schema, keyValues: { [$0.0, $0.1] },
      key: { ($0[keyPath: first], $0[keyPath: second]) })
  }

  /// Creates the table of a model whose key consists of three properties.
  public convenience init<First: Codable, Second: Codable, Third: Codable>(
    _ name: String, key first: any KeyPath<Value, First> & Sendable,
    and second: any KeyPath<Value, Second> & Sendable,
    and third: any KeyPath<Value, Third> & Sendable,
    _ parts: TablePart<Value>...
  ) where Key == (First, Second, Third) {
    let schema = Result {
      try TableSchema(name, keys: [first, second, third], parts, examples: .decoding(parts))
    }
    self.init(
      name: name, schema: schema, keyValues: { [$0.0, $0.1, $0.2] },
      key: { ($0[keyPath: first], $0[keyPath: second], $0[keyPath: third]) })
  }
}

extension ModelTable {
  /// Creates the table of a model that is not `Codable`.
  ///
  /// Each part of the form ``TablePart/column(_:_:_:_:)`` declares one column of the table.
  public convenience init(
    _ name: String, key: any KeyPath<Value, Key> & Sendable, columns: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result {
      try refuseConstant(Key.self, of: Value.self)
      return try TableSchema(name, keys: [key], columns, examples: .none)
    }
    self.init(
      name: name, schema: schema, keyValues: { [$0] }, key: { $0[keyPath: key] })
  }

  /// Creates the table of a model that is not `Codable`, and whose key SQLite assigns.
  public convenience init(
    _ name: String, key: any WritableKeyPath<Value, Key?> & Sendable, columns: TablePart<Value>...
  ) where Key: Codable {
    let schema = Result { try TableSchema(name, keys: [key], columns, examples: .none) }
    self.init(
      name: name, schema: schema, keyValues: { [$0] }, key: { $0[keyPath: key] },
      assignment: KeyAssignment(read: Self.read(schema), set: { $0[keyPath: key] = $1 }))
  }
}

/// Throws if a key property is optional and declared with `let`, because it would stay nil after an insertion.
private func refuseConstant<Key, Value>(_ key: Key.Type, of model: Value.Type) throws {
  guard key is any OptionalType.Type else { return }
  throw SQLiteError(
    .misuse,
    "The key of \(model) is optional, so SQLite assigns it: declare the property with var instead of let"
  )
}
