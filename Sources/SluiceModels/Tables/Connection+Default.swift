import Sluice

/// Column defaults from Swift values.
extension Connection {
  /// Returns a value as an SQL literal, because a table definition cannot contain parameters.
  ///
  /// Throws if the property could not be read from a column that contains this value.
  func literal<Value>(
    of value: some Encodable, in column: TableSchema<Value>.Column, of type: ColumnType?
  ) throws -> String {
    let strategies = codingStrategies.strategies(of: column.property, column.representation)
    let parameter = try StatementEncoder(strategies).parameter(for: value)
    let stored = try first(.column(.value), "SELECT \(parameter)") ?? .null
    let isReadable =
      if let valueType = unsafe column.valueType {
        try canRead(valueType, from: stored, strategies)
      } else {
        column.takes(stored, as: type ?? .any)
      }
    guard isReadable else {
      let expected = unsafe column.valueType.map { "\($0)" } ?? (type ?? .any).rawValue
      throw SQLiteError(
        .misuse,
        "The column \"\(column.name)\" of \(Value.self) contains \(expected), and its default is \(stored)"
      )
    }
    // A NUL would end the SQL, so write text with a NUL as the cast of a blob.
    guard case .text(let text) = stored, text.utf8.contains(0) else { return stored.description }
    return "CAST(\(DatabaseValue.blob(Array(text.utf8))) AS TEXT)"
  }

  private func canRead<T: Decodable>(
    _ type: T.Type, from value: DatabaseValue, _ strategies: CodingStrategies
  ) throws -> Bool {
    let decoder = RowDecoder(strategies)
    do {
      try execute("SELECT \(value)") { row in
        _ = try decoder.decode(FirstColumn<T>.self, from: row)
      }
      return true
    } catch is DecodingError { return false }
  }
}

extension TableSchema.Column {
  fileprivate func takes(_ value: DatabaseValue, as type: ColumnType) -> Bool {
    if value.isNull { return !isNotNull }
    return switch type {
    case .integer: Int64(databaseValue: value) != nil
    case .real: Double(databaseValue: value) != nil
    case .text: value.storageClass != .blob
    case .blob: value.storageClass == .blob
    case .any: true
    }
  }
}

/// A type that is decoded from a single column, even if it could decode itself from several columns.
private struct FirstColumn<T: Decodable>: Decodable {
  init(from decoder: any Decoder) throws {
    var columns = try decoder.unkeyedContainer()
    _ = try columns.decode(T.self)
  }
}
