import CSluice
import Sluice

/// A connection that only C functions use, for comparison.
@safe final class PlainConnection {
  let handle: OpaquePointer

  init() throws {
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open(":memory:", &handle)
    guard code == SQLITE_OK, let handle = unsafe handle else { throw Wrong("C has no memory") }
    unsafe self.handle = handle
    unsafe sqlite3_extended_result_codes(handle, 1)
  }

  deinit { unsafe sqlite3_close(handle) }

  /// The outcome of a statement.
  enum Outcome {
    case rows([[DatabaseValue]])
    case failure(ResultCode)
    /// The SQL contains no statement, or more than one.
    case isNotOne
  }

  func run(_ sql: String, _ parameters: [DatabaseValue] = []) -> Outcome {
    var statement: OpaquePointer?
    var sql = sql
    let (code, rest) = sql.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
        var tail: UnsafePointer<CChar>?
        let code = unsafe sqlite3_prepare_v3(
          handle, bytes.baseAddress, Int32(bytes.count), 0, &statement, &tail)
        let read = unsafe tail.map { unsafe $0 - bytes.baseAddress! } ?? bytes.count
        let rest = unsafe UnsafeRawBufferPointer(bytes)[read...]
        return (code, unsafe String(decoding: rest, as: UTF8.self))
      }
    }
    defer { unsafe sqlite3_finalize(statement) }
    guard code == SQLITE_OK else { return .failure(ResultCode(rawValue: code)) }
    guard let statement = unsafe statement else { return .isNotOne }
    if !rest.isEmpty {
      // SQL of only comments and white space is not a statement.
      guard case .isNotOne = run(rest) else { return .isNotOne }
      if rest.utf8.contains(0) { return .isNotOne }
    }
    let count = unsafe sqlite3_bind_parameter_count(statement)
    for index in 0..<min(parameters.count, Int(count)) {
      unsafe bind(parameters[index], statement, Int32(index + 1))
    }
    var rows: [[DatabaseValue]] = []
    while true {
      let code = unsafe sqlite3_step(statement)
      guard code == SQLITE_ROW else {
        return code == SQLITE_DONE ? .rows(rows) : .failure(ResultCode(rawValue: code))
      }
      let width = unsafe sqlite3_column_count(statement)
      let row = (0..<width).compactMap { unsafe Self.value(statement, $0) }
      // Sluice ends a statement at text that is not UTF-8.
      guard row.count == width else { return .failure(.mismatch) }
      rows.append(row)
    }
  }

  private func bind(_ value: DatabaseValue, _ statement: OpaquePointer, _ index: Int32) {
    let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: unsafe sqlite3_bind_null(statement, index)
    case .integer(let integer): unsafe sqlite3_bind_int64(statement, index, integer)
    case .real(let real): unsafe sqlite3_bind_double(statement, index, real)
    case .text(let text):
      var text = text
      text.withUTF8 { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
          let start = unsafe bytes.baseAddress ?? UnsafePointer(bitPattern: 1)
          _ = unsafe sqlite3_bind_text(statement, index, start, Int32(bytes.count), transient)
        }
      }
    case .blob(let blob):
      if blob.isEmpty {
        unsafe sqlite3_bind_zeroblob(statement, index, 0)
      } else {
        unsafe sqlite3_bind_blob(statement, index, blob, Int32(blob.count), transient)
      }
    }
  }

  /// Returns the value of a column, or nil for text that is not UTF-8.
  static func value(_ statement: OpaquePointer, _ index: Int32) -> DatabaseValue? {
    switch unsafe sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      let text = unsafe sqlite3_column_text(statement, index)
      let count = Int(unsafe sqlite3_column_bytes(statement, index))
      let bytes = unsafe UnsafeBufferPointer(start: text, count: count)
      return unsafe String(validating: bytes, as: UTF8.self).map { .text($0) }
    case SQLITE_BLOB:
      let blob = unsafe sqlite3_column_blob(statement, index)
      let count = Int(unsafe sqlite3_column_bytes(statement, index))
      return .blob(unsafe Array(UnsafeRawBufferPointer(start: blob, count: count)))
    default: return .null
    }
  }
}
