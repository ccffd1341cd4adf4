import Foundation
import Sluice

/// Turns what can be encoded into what SQLite stores, by the strategies of a connection.
extension Connection {
  /// The properties of a value by their coding keys.
  func parameters(of value: some Encodable) throws -> [String: SQLParameter] {
    try Properties(of: value).values.mapValues { value in try parameter(value) }
  }

  /// One value, for a parameter.
  func parameter(_ value: some Encodable) throws -> SQLParameter {
    // What SQL carries by itself needs no strategy, but for one type.
    if let value = value as? any SQLValue, !(value is Data) {
      return SQLParameter(try value.databaseValue)
    }
    // Only a statement has what is bound to it by the strategies, and tells it.
    let statement = try prepare(sql: "SELECT :value").bind(encoding: Property(value: value))
    return try SQLParameter(statement.first(.column(.value)) ?? .null)
  }

  /// Values, for `IN`.
  func parameters(_ values: [any Encodable & Sendable]) throws -> [SQLParameter] {
    try values.map { try parameter($0) }
  }
}

/// A value as it is in a model: alone, an array or a struct would be bound piece by piece.
private struct Property<Value: Encodable>: Encodable {
  let value: Value
}
