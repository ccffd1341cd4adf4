import SluiceCore
import Testing

extension Connection {
  /// The only value of the only row.
  func value(_ sql: String, _ parameters: SQLParameter...) throws -> DatabaseValue {
    try #require(try first(.column(.value), sql: sql, parameters: parameters))
  }
}
