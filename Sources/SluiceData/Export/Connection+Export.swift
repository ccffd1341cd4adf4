public import Foundation
public import SluiceCore

/// Exporting the rows of a query to files.
///
/// ```swift
/// try connection.exportRows("SELECT * FROM person ORDER BY id", to: url)
/// ```
///
/// The values are written as follows:
///
/// | value | CSV | JSON |
/// | --- | --- | --- |
/// | integer | its digits | a number |
/// | real | the shortest text that yields the same real | a number |
/// | infinity | `9e999` or `-9e999` | `9e999` or `-9e999`, which are numbers in JSON's grammar |
/// | text | quoted if necessary | a string |
/// | blob | Base64 or hexadecimal digits | a string with Base64 or hexadecimal digits |
/// | NULL | an empty field without quotes, or the text in ``CSVFormat/null`` | `null` |
///
/// The empty text is `""` in CSV. Text can contain NUL, which is one byte in CSV and `\u0000` in JSON. Text that is
/// not UTF-8 throws ``ResultCode/mismatch``; to export it, convert it to a blob with `CAST(… AS BLOB)`. Columns with
/// the same name remain as they are in CSV, and throw ``ResultCode/misuse`` in JSON.
extension Connection {
  /// Writes the rows of a query to a file.
  ///
  /// The file gets its name when it is complete, so a failed export leaves no file, or the existing file.
  ///
  /// - Parameters:
  ///   - sql: A single statement that returns rows. For a whole table, write
  ///     `"SELECT * FROM \(identifier: table)"`.
  ///   - format: The format of the file; nil for the format that the file's extension denotes.
  ///   - url: The URL of the file.
  ///   - overwriting: Whether to replace an existing file, which cannot be an unencrypted database or a file of
  ///     this connection, instead of throwing ``ResultCode/cantOpen``.
  ///   - blobs: The encoding of blobs.
  /// - Returns: The number of rows.
  /// - Throws: ``ResultCode/cantOpen`` or ``ResultCode/ioError`` if the file cannot be written.
  @discardableResult
  public func exportRows(
    _ sql: SQL, as format: DataFormat? = nil, to url: URL, overwriting: Bool = false,
    blobs: BlobEncoding = .base64
  ) throws -> Int {
    let format = try DataFormat.chosen(format, for: url)
    try refuseOwnFile(url)
    let file = try NewFile(url, overwriting: overwriting)
    do {
      let count = try exportRows(sql, as: format, blobs: blobs, to: file.write)
      try file.complete()
      return count
    } catch {
      file.abandon()
      throw error
    }
  }

  /// Passes the rows of a query to a closure as bytes.
  ///
  /// - Parameters:
  ///   - sql: A single statement that returns rows.
  ///   - format: The format of the bytes.
  ///   - blobs: The encoding of blobs.
  ///   - write: A closure that receives about 64 KB at a time. If it throws, the export stops.
  /// - Returns: The number of rows.
  /// - Throws: ``ResultCode/misuse`` if the statement returns no rows, and any error that `write` throws.
  @discardableResult
  public func exportRows(
    _ sql: SQL, as format: DataFormat, blobs: BlobEncoding = .base64,
    to write: (_ bytes: [UInt8]) throws -> Void
  ) throws -> Int {
    let statement = try prepare(sql: sql.text)
    try statement.bind(SQLParameters(sql.parameters))
    guard statement.columnCount > 0 else {
      throw SQLiteError(.misuse, "The statement returns no rows to export", sql: sql.text)
    }
    switch format {
    case .separated(let format):
      return try export(statement, CSVWriter(format, header: statement.columnNames), blobs, write)
    case .jsonLines:
      return try export(statement, JSONWriter(statement.columnNames), blobs, write)
    case .jsonArray:
      return try export(
        statement, JSONWriter(statement.columnNames, isArray: true), blobs, write)
    }
  }

  private func export(
    _ statement: Statement, _ writer: some RowWriter, _ blobs: BlobEncoding,
    _ write: ([UInt8]) throws -> Void
  ) throws -> Int {
    var (writer, count) = (writer, 0)
    try statement.forEachRow { row in
      do { try writer.write(row, blobs) } catch let error as SQLiteError
        where error.code == .mismatch
      {
        throw SQLiteError(.mismatch, "Row \(count + 1): \(error.message)", sql: error.sql)
      }
      count += 1
      guard writer.bytes.count >= 1 << 16 else { return }
      try Task.checkCancellation()
      try write(writer.bytes)
      writer.bytes.removeAll(keepingCapacity: true)
    }
    writer.finish()
    if !writer.bytes.isEmpty { try write(writer.bytes) }
    return count
  }
}

/// A writer of rows in one of the formats.
protocol RowWriter {
  /// The bytes that were written; the owner removes them.
  var bytes: [UInt8] { get set }
  /// Writes all columns of a row.
  mutating func write(_ row: borrowing Row, _ blobs: BlobEncoding) throws
  /// Writes the end of the file.
  mutating func finish()
}
