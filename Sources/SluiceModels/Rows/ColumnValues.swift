public import Sluice

/// The values that a model stores in the columns of its table, by column name.
///
/// A type that is not `Codable` lists them:
///
/// ```swift
/// func columnValues(for connection: Connection) -> ColumnValues {
///   ["id": .int64(id), "name": .string(name)]
/// }
/// ```
public struct ColumnValues: ExpressibleByDictionaryLiteral {
  private let content: Content

  private enum Content {
    case values([String: SQLParameter])
    case encodable(any Encodable)
  }

  /// Creates the values from a literal, whose names must differ.
  public init(dictionaryLiteral elements: (String, SQLParameter)...) {
    self.init(Dictionary(uniqueKeysWithValues: elements))
  }

  /// Creates the values from a dictionary, such as the result of `parameters(encoding:)`.
  public init(_ values: [String: SQLParameter]) { content = .values(values) }

  /// Creates the values of the properties of `value`, which are encoded when they are stored.
  ///
  /// The strategies of the connection apply, with the column names of the model's table.
  public init(encoding value: some Encodable) { content = .encodable(value) }
}

extension ColumnValues {
  /// Binds the values to the parameters of their columns, and NULL to those of all other columns.
  ///
  /// - Returns: The name of a column that does not exist; nil if there is none.
  func bind(to statement: Statement, _ columns: WrittenColumns) throws -> String? {
    switch content {
    case .encodable(let value): return try statement.bind(value, to: columns)
    case .values(let values):
      for (index, name) in columns.names.enumerated() {
        try statement.bind(values[name] ?? .null, toParameter: index + 1)
      }
      return values.keys.first { !columns.has($0) }
    }
  }

  /// Returns the values by column name, encoded with these strategies.
  func values(_ strategies: CodingStrategies) throws -> [String: SQLParameter] {
    switch content {
    case .encodable(let value): try StatementEncoder(strategies).parameters(for: value)
    case .values(let values): values
    }
  }
}
