import Foundation

/// A monitor that writes reports as lines of JSON.
///
/// Use this monitor for a log that programs read. Durations are in seconds, and start times in seconds since 1970,
/// so a log collector can convert the lines to spans. The lines have this form:
///
/// ```text
/// {"duration":0.000012,"event":"statement","fullScanSteps":0,"rows":1,"sorts":0,"sql":"SELECT 1","start":1767225600.000021,"steps":5}
/// {"duration":0.000031,"event":"access","failed":false,"label":"app","lockWaits":0,"start":1767225600.000009,"wait":0.000004}
/// ```
///
/// The article <doc:Monitoring> lists the fields.
public struct JSONLinesMonitor: ConnectionMonitor {
  private let threshold: Duration
  private let write: @Sendable (String) -> Void
  private let traceID: @Sendable () -> String?

  /// Creates a monitor that passes each line to `write`.
  ///
  /// ```swift
  /// configuration.monitor = JSONLinesMonitor(traceID: { Request.id })
  /// ```
  ///
  /// A statement or access that takes less time than `threshold`, including waiting, is not written. A plan that
  /// another monitor such as ``SlowStatementMonitor`` requested is always written.
  ///
  /// - Parameters:
  ///   - threshold: The shortest duration of a statement or access that is written.
  ///   - write: A closure that receives each line, without a line break, on any thread. The default prints the
  ///     line.
  ///   - traceID: A closure that returns the trace identifier of the caller, usually from a task-local value, or
  ///     nil if there is none. Only the first 128 Unicode scalars are written.
  public init(
    threshold: Duration = .zero,
    write: @escaping @Sendable (_ line: String) -> Void = { print($0) },
    traceID: @escaping @Sendable () -> String? = { nil }
  ) {
    self.threshold = threshold
    self.write = write
    self.traceID = traceID
  }

  /// Writes a line that describes the statement.
  public func statementDidEnd(_ statement: StatementRecord) {
    guard statement.duration >= threshold else { return }
    write(
      StatementLine(
        duration: statement.duration / .seconds(1), fullScanSteps: statement.fullScanStepCount,
        rows: statement.rowCount, sorts: statement.sortCount, sql: statement.sql,
        start: unixTime(of: statement.start), steps: statement.stepCount, traceID: shortTraceID))
  }

  /// Writes a line that describes the access.
  public func accessDidEnd(_ access: AccessRecord) {
    guard access.wait + access.duration >= threshold else { return }
    write(
      AccessLine(
        duration: access.duration / .seconds(1), failed: access.isFailed, label: access.label,
        lockWaits: access.lockWaitCount, start: unixTime(of: access.start), traceID: shortTraceID,
        wait: access.wait / .seconds(1)))
  }

  /// Writes a line with the plan of the statement.
  public func statementWasExplained(_ explanation: StatementExplanation) {
    let statement = explanation.statement
    write(
      PlanLine(
        duration: statement.duration / .seconds(1), plan: explanation.plan?.description,
        scans: explanation.scanStatus.isEmpty ? nil : explanation.scanStatus.map(ScanFields.init),
        sql: statement.sql, start: unixTime(of: statement.start), traceID: shortTraceID))
  }

  /// Writes a line that describes the maintenance of a pool.
  public func upkeepDidRun(_ record: UpkeepRecord) { write(UpkeepLine(record)) }

  private func write(_ line: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Encoding cannot fail, because the lines contain only finite numbers and text.
    guard let data = try? encoder.encode(line) else { return }
    write(String(decoding: data, as: UTF8.self).withoutLineBreaks)
  }

  /// The trace identifier of the caller, truncated if it is too long for a log.
  private var shortTraceID: String? {
    traceID().map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(128))) }
  }

  /// Returns an instant as seconds since 1970, rounded to whole microseconds.
  private func unixTime(of instant: ContinuousClock.Instant) -> Double {
    let age = instant.duration(to: .now) / .seconds(1)
    return ((Date.now.timeIntervalSince1970 - age) * 1_000_000).rounded() / 1_000_000
  }
}

extension String {
  /// This JSON with escaped Unicode line breaks, which JSON permits unescaped in strings.
  fileprivate var withoutLineBreaks: String {
    let breaks: Set<Unicode.Scalar> = ["\u{85}", "\u{2028}", "\u{2029}"]
    guard unicodeScalars.contains(where: breaks.contains) else { return self }
    return unicodeScalars.reduce(into: "") { line, scalar in
      if breaks.contains(scalar) {
        line += String(format: "\\u%04x", scalar.value)
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }
}

private struct StatementLine: Encodable {
  var event = "statement"
  let duration: Double
  let fullScanSteps: Int
  let rows: Int
  let sorts: Int
  let sql: String
  let start: Double
  let steps: Int
  let traceID: String?
}

private struct AccessLine: Encodable {
  var event = "access"
  let duration: Double
  let failed: Bool
  let label: String
  let lockWaits: Int
  let start: Double
  let traceID: String?
  let wait: Double
}

private struct PlanLine: Encodable {
  var event = "plan"
  let duration: Double
  let plan: String?
  let scans: [ScanFields]?
  let sql: String
  let start: Double
  let traceID: String?
}

private struct ScanFields: Encodable {
  let estimatedRows: Double
  let explanation: String?
  let loops: Int
  let name: String?
  let visits: Int

  init(_ status: ScanStatus) {
    estimatedRows = status.estimatedRows
    explanation = status.explanation
    loops = status.loops
    name = status.name
    visits = status.visits
  }
}

private struct UpkeepLine: Encodable {
  var event = "upkeep"
  let label: String
  var work = ""
  var checkpointedFrames: Int?
  var duration: Double?
  var error: String?
  var frames: Int?
  var isRelieved: Bool?
  var reader: String?
  var readers: Int?
  var sql: String?
  var walSize: Int?

  init(_ record: UpkeepRecord) {
    label = record.label
    switch record.event {
    case .checkpoint(let checkpoint, let time):
      work = "checkpoint"
      duration = time / .seconds(1)
      frames = checkpoint.frameCount
      checkpointedFrames = checkpoint.checkpointedFrameCount
    case .heldWAL(let starvation, let reads, let size):
      work = "heldWAL"
      duration = starvation.duration / .seconds(1)
      frames = starvation.frameCount
      checkpointedFrames = starvation.checkpointedFrameCount
      readers = reads.count
      reader = reads.first?.label
      sql = reads.first?.sql
      walSize = size
    case .walLimit(let size, let isRelieved, let time):
      work = "walLimit"
      duration = time / .seconds(1)
      self.isRelieved = isRelieved
      walSize = size
    case .closedReaders(let count):
      work = "closedReaders"
      readers = count
    case .optimized(let time):
      work = "optimized"
      duration = time / .seconds(1)
    case .releasedMemory: work = "releasedMemory"
    case .failed(let failure):
      work = "failed"
      error = failure.description
    }
  }
}
