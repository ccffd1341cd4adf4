package import Foundation
import SluiceCore

/// The data of an import, which can be read a second time after the types of its columns were found.
package struct ImportSource {
  private let format: DataFormat
  private let open: () throws -> ByteChunks
  /// The size of the data in bytes; nil if it is unknown.
  let size: Int?
  /// Whether the data can be read only once, so that its beginning must be kept while types are found.
  let isReadOnce: Bool

  /// The number of bytes in which types are found if the data can be read only once.
  private static let sampleSize = 1 << 22

  package init(_ url: URL, _ format: DataFormat) throws {
    self.format = format
    // Opening the file here reports a missing file before the database is changed.
    let file = try FileChunks(url)
    size = file.size
    isReadOnce = size == nil
    let (encoding, isReadOnce) = (format.encoding, isReadOnce)
    let first = ByteChunks(encoding: encoding, file.next)
    var isUsed = false
    open = {
      defer { isUsed = true }
      return isUsed && !isReadOnce ? try ByteChunks(url, encoding: encoding) : first
    }
  }

  /// Creates a source from a closure that returns chunks of bytes, and nil at the end.
  package init(_ format: DataFormat, _ read: @escaping () throws -> [UInt8]?) {
    self.format = format
    size = nil
    isReadOnce = true
    let chunks = ByteChunks(encoding: format.encoding, read)
    open = { chunks }
  }

  /// Returns the rows from the beginning.
  func rows() throws -> any ImportRows { try rows(in: open()) }

  /// Calls `look` with each row's columns and values, and returns the names of all columns, and the rows to import.
  ///
  /// If the data can be read only once, `look` receives only the rows at its beginning.
  func looking(
    _ look: (_ columns: [Int], _ values: [ImportValue], _ byteCount: Int) throws -> Void
  ) throws -> (names: [String], rows: any ImportRows) {
    let kept = isReadOnce ? try KeptChunks(open(), limit: Self.sampleSize) : nil
    // The kept bytes have been decoded already.
    var sample =
      try kept.map { try self.rows(in: ByteChunks(encoding: .utf8, $0.nextInSample)) } ?? rows()
    var columns: [Int] = []
    var values: [ImportValue] = []
    var refusal: SQLiteError?
    do {
      while try sample.advance() {
        kept?.hasRow = true
        // An invalid row is refused when the rows are imported.
        do { try sample.read(&columns, &values) } catch let error as SQLiteError
          where error.isRefusal
        {
          refusal = refusal ?? error.onLine(sample.line)
          continue
        }
        try look(columns, values, sample.byteCount)
      }
    } catch let error as SQLiteError where kept?.isSampleCut == true && error.code == .tooBig {}
    // Without a valid row, no table can be created, and the first reason matters.
    if sample.names.isEmpty, columns.isEmpty, let refusal { throw refusal }
    let rows =
      try kept.map { try self.rows(in: ByteChunks(encoding: .utf8, $0.next)) } ?? self.rows()
    return (sample.names, rows)
  }

  private func rows(in chunks: ByteChunks) throws -> any ImportRows {
    switch format {
    case .separated(let format): try CSVImportRows(chunks, format)
    case .jsonLines: JSONImportRows(chunks, hasArray: false)
    case .jsonArray: JSONImportRows(chunks, hasArray: true)
    }
  }
}

extension DataFormat {
  fileprivate var encoding: CSVFormat.TextEncoding {
    if case .separated(let format) = self { format.encoding } else { .utf8 }
  }
}
