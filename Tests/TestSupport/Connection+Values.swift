package import SluiceCore
import Testing

extension Connection {
  /// The only value of the only row.
  package func value(_ sql: String, _ parameters: SQLParameter...) throws -> DatabaseValue {
    try #require(try first(.column(.value), sql: sql, parameters: SQLParameters(parameters)))
  }

  /// The first column of all rows.
  package func column(_ sql: String) throws -> [DatabaseValue] {
    try query(.column(.value), sql: sql)
  }

  /// The integers of the first column.
  package func integers(_ sql: String) throws -> [Int] { try query(.column(.int), sql: sql) }

  /// The value of `SELECT ?` as `converter` reads it.
  package func select<T>(
    _ converter: ColumnValueConverter<T>, _ parameter: SQLParameter
  ) throws -> T? {
    try first(.column(converter), sql: "SELECT ?", parameters: parameter)
  }
}
