package import SluiceCore

extension Row {
  /// Decodes a value from the row, with the strategies of the statement but a different key strategy.
  ///
  /// Always pass the same key strategy for the same type.
  package func decode<T: Decodable>(_ type: T.Type, keys: KeyStrategy) throws -> T {
    try source.coding.reading(type, keys, for: source).decode(type, of: again())
  }
}

extension StatementCoding {
  fileprivate func reading<T>(
    _ type: T.Type, _ keys: KeyStrategy, for statement: Statement
  ) -> RowReading {
    let (base, type) = (refresh(statement), ObjectIdentifier(type))
    if let naming, naming.base === base, naming.type == type { return naming.reading }
    var strategies = base.strategies
    strategies.keys = keys
    let reading = RowReading(CodingSettings(strategies, userInfo: base.userInfo))
    naming = (base, type, reading)
    return reading
  }
}
