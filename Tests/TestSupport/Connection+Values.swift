package import SluiceCore
import Testing

extension Connection {
  /// Returns the first column of the first row, and fails the test if the query has no row.
  package func value(_ sql: String, _ parameters: SQLParameter...) throws -> DatabaseValue {
    try #require(try first(.column(.value), sql: sql, parameters: SQLParameters(parameters)))
  }

  /// Returns the first column of every row.
  package func column(_ sql: String) throws -> [DatabaseValue] {
    try query(.column(.value), sql: sql)
  }

  /// Returns the first column of every row as integers.
  package func integers(_ sql: String) throws -> [Int] { try query(.column(.int), sql: sql) }

  /// Binds `parameter` in `SELECT ?` and returns the value that `converter` reads.
  package func select<T>(
    _ converter: ColumnValueConverter<T>, _ parameter: SQLParameter
  ) throws -> T? {
    try first(.column(converter), sql: "SELECT ?", parameters: parameter)
  }
}
