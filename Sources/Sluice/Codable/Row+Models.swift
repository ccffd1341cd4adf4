package import SluiceCore

extension Row {
  /// Decodes a model from the row, with the strategies of the statement but the rules of the model's columns.
  ///
  /// If one of `columns` is missing, this method throws even if the property is optional, because writing the model would
  /// then store NULL. The case of a column's name is ignored. Always pass the same columns for the same type.
  package func decode<T: Decodable>(
    model type: T.Type, _ columns: @autoclosure () throws -> ReadColumns
  ) throws -> T {
    try source.coding.reading(type, columns, for: source).decode(type, of: reference())
  }

  /// Decodes the value of a model's property from one column, with the rules of the model's columns.
  package func decode<T: Decodable>(
    _ type: T.Type, at index: Int, as property: String, of model: Any.Type,
    _ columns: @autoclosure () throws -> ReadColumns
  ) throws -> T {
    let reader = try source.coding.reading(model, columns, for: source).reader
    let values = reader.values(of: PropertyKey(stringValue: property))
    return try reader.read(reference()) { try reader.decode(type, at: index, nil, values) }
  }
}

private struct PropertyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension StatementCoding {
  fileprivate func reading(
    _ type: Any.Type, _ columns: () throws -> ReadColumns, for statement: Statement
  ) rethrows -> RowReading {
    let (base, type) = (refresh(statement), ObjectIdentifier(type))
    for known in named where known.type == type && known.base === base { return known.reading }
    let columns = try columns()
    let reading = RowReading(columns.rules.settings(base), model: columns)
    named.removeAll { $0.base !== base }
    named.append((base, type, reading))
    return reading
  }
}
