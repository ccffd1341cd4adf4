public import Foundation
public import Sluice

/// A reader of CSV, TSV and similar files.
///
/// ```swift
/// let reader = try CSVReader(url)
/// while let person = try reader.next(Person.self) {
///   print(person.name)
/// }
/// ```
///
/// The reader retains one row at a time. Its memory does not depend on the size of the file, and its data can come in
/// chunks that end anywhere. ``CSVFormat`` describes the accepted files.
///
/// After an error in a row, reading continues with the next row. A quote that is not closed before the end of the
/// data throws ``ResultCode/mismatch``.
public final class CSVReader {
  private var records: CSVRecords
  private var decoding: (statement: Statement, count: Int)?

  /// The strategies by which rows are decoded.
  ///
  /// By default, they are the default strategies for rows of a database, except that `Data` is Base64.
  public var decoder = RowDecoder(CodingStrategies(data: .base64))

  /// Opens a file, and reads its header.
  ///
  /// - Throws: ``ResultCode/cantOpen`` if the file cannot be opened.
  public init(_ url: URL, _ format: CSVFormat = .csv) throws {
    records = try CSVRecords(ByteChunks(url, encoding: format.encoding), format)
  }

  /// Creates a reader of chunks of bytes, and reads the header.
  public init(chunks: some Sequence<some Sequence<UInt8>>, _ format: CSVFormat = .csv) throws {
    records = try CSVRecords(ByteChunks(chunks, encoding: format.encoding), format)
  }
}

@available(*, unavailable)
extension CSVReader: Sendable {}

extension CSVReader {
  /// The names of the columns; empty if neither the file nor the format has any.
  ///
  /// A column without a name is named after its number: `column1`.
  public var columnNames: [String] { records.names }

  /// Returns the next row, or nil at the end.
  ///
  /// The row can have more or fewer fields than there are columns.
  ///
  /// - Throws: ``ResultCode/mismatch`` if a field is not UTF-8.
  public func next() throws -> CSVRow? {
    guard try records.advance() else { return nil }
    let line = records.parser.line
    do {
      let fields = try (0..<records.count).map { try records.text($0) }
      return CSVRow(line: line, columnNames: records.names, fields: fields)
    } catch let error as SQLiteError { throw error.onLine(line) }
  }

  /// Decodes the next row, or returns nil at the end.
  ///
  /// Each property is read from the column with its name, as from a row of a database. Numbers are converted from
  /// text, and an empty field is nil.
  ///
  /// - Throws: A `DecodingError` whose description begins with the line, or ``ResultCode/mismatch`` if the
  ///   row has another number of fields than there are columns.
  public func next<T: Decodable>(_ type: T.Type) throws -> T? {
    guard let row = try next() else { return nil }
    do { return try decode(type, row) } catch let error as DecodingError {
      throw error.onLine(row.line)
    } catch let error as SQLiteError { throw error.onLine(row.line) }
  }

  /// Decodes all remaining rows.
  ///
  /// - Throws: An error for the first row that cannot be decoded, as ``next(_:)`` does.
  public func decode<T: Decodable>(_ type: T.Type) throws -> [T] {
    var values: [T] = []
    while let value = try next(type) { values.append(value) }
    return values
  }

  private func decode<T: Decodable>(_ type: T.Type, _ row: CSVRow) throws -> T {
    let count = columnNames.isEmpty ? row.fields.count : columnNames.count
    try records.checkWidth(count)
    let statement = try statement(count)
    try statement.bind(SQLParameters(row.fields.map { SQLParameter($0) }))
    var value: T?
    try statement.forEachRow { row in value = try decoder.decode(type, from: row) }
    guard let value else { throw SQLiteError(.internal, "The statement returned no row") }
    return value
  }

  /// Returns a statement whose row consists of its parameters, with the names of the columns.
  ///
  /// With this statement, values in files are decoded exactly like values in a database.
  private func statement(_ count: Int) throws -> Statement {
    if let decoding, decoding.count == count { return decoding.statement }
    let columns = try (0..<count).map { index in
      guard !columnNames.isEmpty else { return "?" }
      return "? AS " + (try columnNames[index].quotedName(ofColumn: index + 1))
    }
    let statement = try Connection().prepare(sql: "SELECT " + columns.joined(separator: ", "))
    decoding = (statement, count)
    return statement
  }
}

/// A row of a CSV file.
public struct CSVRow: Hashable, Sendable {
  /// The number of the line on which the row begins, counted from 1.
  public let line: Int
  /// The names of the columns; empty if they have none.
  public let columnNames: [String]
  /// The text of the fields; nil for NULL, as ``CSVFormat/null`` specifies.
  public let fields: [String?]

  /// The text in the first column with this name; nil for NULL, and if there is no such column or field.
  public subscript(name: String) -> String? {
    guard let index = columnNames.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }),
      index < fields.count
    else { return nil }
    return fields[index]
  }
}

extension DecodingError {
  /// Returns the same error with a line number before its description.
  func onLine(_ line: Int) -> DecodingError {
    func placed(_ context: Context) -> Context {
      Context(
        codingPath: context.codingPath,
        debugDescription: "Line \(line): \(context.debugDescription)",
        underlyingError: context.underlyingError)
    }
    return switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, placed(context))
    case .valueNotFound(let type, let context): .valueNotFound(type, placed(context))
    case .keyNotFound(let key, let context): .keyNotFound(key, placed(context))
    case .dataCorrupted(let context): .dataCorrupted(placed(context))
    @unknown default: self
    }
  }
}
