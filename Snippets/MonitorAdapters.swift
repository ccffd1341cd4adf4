// Monitors that pass reports on to packages for logs, metrics and traces.

// snippet.hide
import Sluice
import Synchronization

// snippet.show
struct LogMonitor: ConnectionMonitor {
  let logger: Logger

  func statementDidEnd(_ statement: StatementRecord) {
    logger.debug(
      "statement",
      metadata: [
        "sql": "\(statement.sql)", "duration": "\(statement.duration)",
        "rows": "\(statement.rowCount)",
      ])
  }
}

struct MetricsMonitor: ConnectionMonitor {
  func statementDidEnd(_ statement: StatementRecord) {
    Metrics.Timer(label: "database.statement").record(duration: statement.duration)
    Counter(label: "database.rows").increment(by: statement.rowCount)
  }

  func accessDidEnd(_ access: AccessRecord) {
    let dimensions = [("queue", access.label)]
    Metrics.Timer(label: "database.wait", dimensions: dimensions).record(
      duration: access.wait)
    Counter(label: "database.lock_waits", dimensions: dimensions)
      .increment(by: access.lockWaitCount)
  }
}

struct TraceMonitor: ConnectionMonitor {
  func accessDidEnd(_ access: AccessRecord) {
    let nanoseconds = { (duration: Duration) in UInt64(duration / .nanoseconds(1)) }
    let start =
      DefaultTracerClock.now.nanosecondsSinceEpoch
      - nanoseconds(access.start.duration(to: .now))
    let span = startSpan(
      access.label, ofKind: .client, at: Timestamp(nanosecondsSinceEpoch: start))
    span.attributes["db.system"] = "sqlite"
    span.end(
      at: Timestamp(
        nanosecondsSinceEpoch: start + nanoseconds(access.wait + access.duration)))
  }

  private typealias Timestamp = DefaultTracerClock.Timestamp
}
// snippet.hide

var configuration = Configuration()
let monitors: [any ConnectionMonitor] = [
  LogMonitor(logger: Logger()), MetricsMonitor(), TraceMonitor(),
]
// While it closes, a queue runs additional statements.
var queues: [ConnectionQueue] = []
for monitor in monitors {
  configuration.monitor = monitor
  let queue = try ConnectionQueue(label: "app", configuration: configuration)
  queues.append(queue)
  try await ServiceContext.$current.withValue(ServiceContext(trace: "t1")) {
    try await queue.perform { try $0.execute(sql: "SELECT 1") }
  }
}
guard
  Output.lines == [
    "statement duration rows sql", "timer database.statement", "counter database.rows 1",
    "timer database.wait app", "counter database.lock_waits 0 app", "span app client t1",
  ]
else { fatalError("\(Output.lines)") }

/// The calls that the stand-ins received.
enum Output {
  private static let storage = Mutex<[String]>([])

  static var lines: [String] { storage.withLock { $0 } }

  static func add(_ words: String...) {
    storage.withLock { $0.append(words.filter { !$0.isEmpty }.joined(separator: " ")) }
  }
}

// The shape of swift-log.

struct Logger: Sendable {
  typealias Metadata = [String: MetadataValue]

  struct Message: ExpressibleByStringInterpolation, CustomStringConvertible {
    let description: String
    init(stringLiteral value: String) { description = value }
  }

  enum MetadataValue: ExpressibleByStringInterpolation {
    case string(String)
    init(stringLiteral value: String) { self = .string(value) }
  }

  func debug(
    _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil,
    file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    Output.add("\(message())", (metadata() ?? [:]).keys.sorted().joined(separator: " "))
  }
}

// The shape of swift-metrics.

enum Metrics {
  final class Timer {
    private let words: String
    init(label: String, dimensions: [(String, String)] = []) {
      words = ([label] + dimensions.map(\.1)).joined(separator: " ")
    }
    func record(duration: Duration) { Output.add("timer", words) }
  }
}

final class Counter {
  private let label: String
  private let dimensions: [(String, String)]
  init(label: String, dimensions: [(String, String)] = []) {
    self.label = label
    self.dimensions = dimensions
  }
  func increment(by amount: some BinaryInteger) {
    Output.add("counter", label, "\(amount)", dimensions.map(\.1).joined())
  }
}

// The shape of swift-distributed-tracing.

struct ServiceContext: Sendable {
  @TaskLocal static var current: ServiceContext?
  static var topLevel: ServiceContext { ServiceContext(trace: "none") }
  let trace: String
}

enum SpanKind { case client, `internal` }

protocol TracerInstant: Comparable, Hashable, Sendable {
  var nanosecondsSinceEpoch: UInt64 { get }
}

struct DefaultTracerClock {
  struct Timestamp: TracerInstant {
    let nanosecondsSinceEpoch: UInt64
    static func < (first: Self, second: Self) -> Bool {
      first.nanosecondsSinceEpoch < second.nanosecondsSinceEpoch
    }
  }

  static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: 1_767_225_600_000_000_000) }
}

protocol Span: Sendable {
  var attributes: SpanAttributes { get nonmutating set }
  func end(at instant: @autoclosure () -> some TracerInstant)
}

struct SpanAttributes {
  private var values: [String: any Sendable] = [:]
  subscript(name: String) -> (any Sendable)? {
    get { values[name] }
    set { values[name] = newValue }
  }
}

func startSpan(
  _ operationName: String,
  context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
  ofKind kind: SpanKind = .internal,
  at instant: @autoclosure () -> some TracerInstant = DefaultTracerClock.now,
  function: String = #function, file: String = #fileID, line: UInt = #line
) -> any Span {
  RecordedSpan(
    words: "\(operationName) \(kind) \(context().trace)", start: instant().nanosecondsSinceEpoch)
}

struct RecordedSpan: Span {
  let words: String
  let start: UInt64
  var attributes: SpanAttributes {
    get { SpanAttributes() }
    nonmutating set {}
  }
  func end(at instant: @autoclosure () -> some TracerInstant) {
    guard instant().nanosecondsSinceEpoch >= start else { fatalError() }
    Output.add("span", words)
  }
}
