import Foundation
import Sluice
import TestSupport
import Testing

/// NULL, empty text and empty blobs, read by each converter.
@Suite(.tags(.reliability)) struct `reading empty values` {
  let db: Connection
  init() throws { db = try Connection() }

  static let empty = ["NULL", "''", "x''", "zeroblob(0)"]

  /// Returns the value that `converter` reads from an SQL expression, or the code of the error.
  private func read<T>(_ converter: ColumnValueConverter<T>, _ sql: String) -> String {
    do {
      let value = try #require(try db.first(.column(converter), sql: "SELECT \(sql)"))
      return "\(value)"
    } catch { return (error as? SQLiteError)?.code == .mismatch ? "mismatch" : "\(error)" }
  }

  @Test(arguments: empty)
  func `converters of numbers, Booleans, dates, UUIDs and URLs reject empty values`(
    sql: String
  ) {
    let readings = [
      read(.int, sql), read(.int8, sql), read(.int16, sql), read(.int32, sql), read(.int64, sql),
      read(.uint, sql), read(.uint8, sql), read(.uint16, sql), read(.uint32, sql),
      read(.uint64, sql), read(.uint64BitPattern, sql), read(.bool, sql), read(.float, sql),
      read(.double, sql), read(.timeIntervalSince1970, sql),
      read(.timeIntervalSinceReferenceDate, sql), read(.iso8601, sql), read(.uuidString, sql),
      read(.uuidBytes, sql), read(.urlString, sql),
    ]
    #expect(readings == readings.map { _ in "mismatch" })
  }

  @Test(arguments: empty)
  func `string and data converters read empty values as empty and reject NULL`(
    sql: String
  ) {
    let isNull = sql == "NULL"
    #expect(read(.string, sql) == (isNull ? "mismatch" : ""))
    #expect(read(.bytes, sql) == (isNull ? "mismatch" : "[]"))
    #expect(read(.data, sql) == (isNull ? "mismatch" : "0 bytes"))
    #expect(read(.value, sql) == (isNull ? "NULL" : sql == "''" ? "''" : "x''"))
  }

  @Test func `each optional converter reads NULL as nil`() {
    let readings = [
      read(.optional(.int), "NULL"), read(.optional(.bool), "NULL"),
      read(.optional(.string), "NULL"), read(.optional(.bytes), "NULL"),
      read(.optional(.value), "NULL"), read(.optional(.data), "NULL"),
      read(.optional(.urlString), "NULL"), read(.optional(.uuidString), "NULL"),
      read(.optional(.uuidBytes), "NULL"), read(.optional(.iso8601), "NULL"),
      read(.optional(.timeIntervalSince1970), "NULL"),
    ]
    #expect(readings == readings.map { _ in "nil" })
  }
}
