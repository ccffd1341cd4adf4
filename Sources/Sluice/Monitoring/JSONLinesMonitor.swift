import Foundation

/// A monitor that writes a line of JSON for each statement and each access.
///
/// Use this monitor for a log that programs read. Its lines have this form, with durations in seconds:
///
/// ```text
/// {"duration":0.000012,"event":"statement","fullScanSteps":0,"rows":1,"sorts":0,"sql":"SELECT 1","steps":5}
/// {"duration":0.000031,"event":"access","failed":false,"label":"app","lockWaits":0,"wait":0.000004}
/// ```
public struct JSONLinesMonitor: ConnectionMonitor {
  private let threshold: Duration
  private let write: @Sendable (String) -> Void

  /// Creates a monitor that passes each line to `write`, on any thread; by default, it prints the lines.
  ///
  /// Statements and accesses that take less time than `threshold`, including waiting, are not written.
  public init(
    threshold: Duration = .zero, write: @escaping @Sendable (_ line: String) -> Void = { print($0) }
  ) {
    self.threshold = threshold
    self.write = write
  }

  /// Writes a line that describes the statement.
  public func statementDidEnd(_ statement: StatementRecord) {
    guard statement.duration >= threshold else { return }
    write(
      StatementLine(
        duration: statement.duration / .seconds(1), fullScanSteps: statement.fullScanStepCount,
        rows: statement.rowCount, sorts: statement.sortCount, sql: statement.sql,
        steps: statement.stepCount))
  }

  /// Writes a line that describes the access.
  public func accessDidEnd(_ access: AccessRecord) {
    guard access.wait + access.duration >= threshold else { return }
    write(
      AccessLine(
        duration: access.duration / .seconds(1), failed: access.isFailed, label: access.label,
        lockWaits: access.lockWaitCount, wait: access.wait / .seconds(1)))
  }

  private func write(_ line: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding cannot fail, because the lines contain only numbers and text.
    guard let data = try? encoder.encode(line) else { return }
    write(String(decoding: data, as: UTF8.self))
  }
}

private struct StatementLine: Encodable {
  var event = "statement"
  let duration: Double
  let fullScanSteps: Int
  let rows: Int
  let sorts: Int
  let sql: String
  let steps: Int
}

private struct AccessLine: Encodable {
  var event = "access"
  let duration: Double
  let failed: Bool
  let label: String
  let lockWaits: Int
  let wait: Double
}
