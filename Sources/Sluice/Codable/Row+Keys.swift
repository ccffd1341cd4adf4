package import SluiceCore

extension Row {
  /// Decodes a model from the row, with the strategies of the statement but a different key strategy.
  ///
  /// If one of `columns` is missing, this method throws even if the property is optional, because writing the model would
  /// then store NULL. The case of a column's name is ignored. Always pass the same strategy and columns for the same type.
  package func decode<T: Decodable>(
    model type: T.Type, keys: KeyStrategy, columns: @autoclosure () throws -> [String]
  ) throws -> T {
    try source.coding.reading(type, keys, columns, for: source).decode(type, of: reference())
  }

  /// Decodes a value from one column, with the strategies of the statement.
  package func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
    let reader = source.coding.reading(for: source).reader
    return try reader.read(reference()) { try reader.decode(type, at: index, nil) }
  }
}

extension StatementCoding {
  fileprivate func reading<T>(
    _ type: T.Type, _ keys: KeyStrategy, _ columns: () throws -> [String],
    for statement: Statement
  ) rethrows -> RowReading {
    let (base, type) = (refresh(statement), ObjectIdentifier(type))
    for known in named where known.type == type && known.base === base { return known.reading }
    var strategies = base.strategies
    strategies.keys = keys
    let reading = try RowReading(
      CodingSettings(strategies, userInfo: base.userInfo), modelColumns: Set(columns()))
    named.removeAll { $0.base !== base }
    named.append((base, type, reading))
    return reading
  }
}
