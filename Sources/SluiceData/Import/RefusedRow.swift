public import Foundation
public import SluiceCore

/// A row of a file that was not imported.
public struct RefusedRow: Sendable {
  /// The number of the line on which the row begins, counted from 1.
  public let line: Int
  /// The reason, such as a violated constraint.
  public let error: SQLiteError
  /// The row as a line of CSV or as JSON; its bytes can be invalid UTF-8.
  public let bytes: [UInt8]

  /// The row as text, in which U+FFFD replaces invalid bytes.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// The treatment of rows that cannot be imported.
///
/// A row is refused if it violates a constraint, has a value of the wrong type, has another number of fields than
/// there are columns, has a key that is NULL or that its column does not store exactly, or is not valid in its format.
/// A refused row changes nothing. Other errors, such as a full disk, always stop the import.
public enum RefusalPolicy {
  /// The first refused row stops the import, and the transaction is rolled back.
  case stop
  /// Refused rows are written to a CSV file with the columns `line`, `reason` and `row`.
  ///
  /// The import throws ``ResultCode/cantOpen`` if the file exists and `overwriting` is false. The file is created only
  /// if a row is refused and the import succeeds.
  case write(to: URL, overwriting: Bool = false)
  /// A closure receives each refused row; if it throws, the import stops and is rolled back.
  case handle((RefusedRow) throws -> Void)
}

/// The receiver of refused rows during one import.
final class Refusals {
  private let policy: RefusalPolicy
  private var file: NewFile?
  private(set) var count = 0

  init(_ policy: RefusalPolicy, on connection: Connection) throws {
    self.policy = policy
    if case .write(let url, let overwriting) = policy {
      try connection.refuseOwnFile(url)
      try NewFile.refuseExisting(at: url, overwriting: overwriting)
    }
  }

  /// Whether a refused row is followed by other rows.
  var continues: Bool {
    if case .stop = policy { false } else { true }
  }

  /// Applies the policy to a row; throws if the import must stop.
  func add(_ row: @autoclosure () -> RefusedRow) throws {
    let row = row()
    switch policy {
    case .stop: throw row.error.onLine(row.line)
    case .write(let url, let overwriting):
      let isFirst = file == nil
      let file = try file ?? NewFile(url, overwriting: overwriting)
      self.file = file
      var writer = CSVWriter(.csv)
      if isFirst { writer.row(["line", "reason", "row"]) }
      writer.field("\(row.line)".utf8)
      writer.field(row.error.message.utf8)
      writer.field(row.bytes)
      writer.endRow()
      try file.write(writer.bytes)
    case .handle(let body): try body(row)
    }
    count += 1
  }

  /// Waits until the file of refused rows is on the disk, before the import is committed.
  func finish() throws { try file?.finish() }

  /// Gives the file of refused rows its name, after the import is committed.
  func publish() throws { try file?.publish() }

  /// Deletes the file of refused rows, because no row was imported.
  func abandon() { file?.abandon() }
}

extension SQLiteError {
  /// Whether the error concerns the values of one row.
  var isRefusal: Bool { [.constraint, .mismatch, .tooBig].contains(code.primary) }

  /// Returns the same error with a line number before its message.
  func onLine(_ line: Int) -> SQLiteError {
    SQLiteError(code, "Line \(line): \(message)", sql: sql, offset: offset)
  }
}
