public import Observation
import SluiceCore

/// A range of the rows of a long result, for a view that shows one part of the result at a time.
///
/// ```swift
/// let events = queue.live(
///   window: 0..<50, .decoding(Event.self),
///   "SELECT id, title FROM event ORDER BY id")
/// try await events.load()
/// print(events.rows.count, "of", events.count)
/// events.range = 50..<100
/// ```
///
/// Only the rows of the range are read and converted, after each commit that may have changed them.
@MainActor @Observable
public final class LiveWindow<Element: Sendable> {
  /// The range of the rows to show, counted from zero.
  ///
  /// Until the rows of a new range arrive, ``rows`` contains the rows of the previous one. A negative offset counts
  /// as 0.
  public var range: Range<Int> {
    didSet { if range != oldValue { restart() } }
  }

  /// The rows of the range; fewer than requested at the end of the result.
  public var rows: [Element] { result.value.rows }
  /// The number of all rows of the result.
  public var count: Int { result.value.count }
  /// Whether ``rows`` contains the rows of the current range.
  public var isLoaded: Bool { result.isLoaded }
  /// The error that has ended the observation; nil while there is none.
  public var error: (any Error)? { result.error }

  fileprivate struct Page: Sendable {
    var rows: [Element] = []
    var count = 0
  }

  @ObservationIgnored private let result: LiveValue<Page>
  @ObservationIgnored private let publisher: (Range<Int>, @escaping Query) -> ValuePublisher<Page>
  @ObservationIgnored private var query: Query

  /// A closure that returns the SQL of the whole result.
  package typealias Query = @Sendable (_ connection: Connection) throws -> SQL

  package init(
    _ range: Range<Int>, _ database: some DatabaseReader, _ converter: RowConverter<Element>,
    _ query: @escaping Query
  ) {
    let publisher = { (range: Range<Int>, query: @escaping Query) in
      database.observe { connection in
        let range = range.clamped(to: 0..<Int.max)
        let sql = try query(connection)
        return Page(
          rows: try connection.query(
            converter, "\(sql) LIMIT \(range.count) OFFSET \(range.lowerBound)"),
          count: try connection.first(.column(.int), "SELECT count(*) FROM (\(sql))") ?? 0)
      }
    }
    self.range = range
    self.publisher = publisher
    self.query = query
    result = LiveValue(initial: Page(), observing: publisher(range, query))
  }

  /// Waits for the rows of the range.
  ///
  /// - Returns: This object.
  /// - Throws: The error of the query, or `CancellationError` if the task or the window is cancelled.
  @discardableResult
  public func load() async throws -> LiveWindow {
    try await result.load()
    return self
  }

  /// Blocks the main thread until the rows of the range arrive.
  ///
  /// - Returns: This object.
  /// - Throws: The error of the query, or `CancellationError` if the window was cancelled. ``ResultCode/misuse`` inside an
  ///   access to the same database.
  @available(*, noasync, message: "Use load, which does not block the thread")
  @discardableResult
  public func syncLoad() throws -> LiveWindow {
    try result.syncLoad()
    return self
  }

  /// Runs the query again, and waits for rows that show every write that ended before this call.
  ///
  /// Until they arrive, ``rows`` and ``isLoaded`` do not change.
  ///
  /// - Returns: This object.
  /// - Throws: The error of the query, or `CancellationError` if the task or the window is cancelled.
  @discardableResult
  public func reload() async throws -> LiveWindow {
    try await result.reload()
    return self
  }

  /// Runs the query again, and blocks the main thread until rows arrive that show every write that ended before this call.
  ///
  /// - Returns: This object.
  /// - Throws: The errors of ``syncLoad()``.
  @available(*, noasync, message: "Use reload, which does not block the thread")
  @discardableResult
  public func syncReload() throws -> LiveWindow {
    try result.syncReload()
    return self
  }

  /// Observes the range again, after an error or after ``cancel()``.
  public func restart() { result.observe(publisher(range, query)) }

  /// Observes another query in place of the current one, such as a search for another text.
  ///
  /// Until the rows of the new query arrive, ``rows`` contains those of the previous one. To begin at the first row,
  /// also set ``range``.
  public func observe(_ sql: SQL) { observe { _ in sql } }

  package func observe(_ query: @escaping Query) {
    self.query = query
    restart()
  }

  /// Calls a closure for each update of the rows, to change them as part of an animation or of a batch of changes.
  ///
  /// If the closure does not call the update, the rows change when the closure returns; ``count`` changes with them.
  public func onUpdate(_ body: (@MainActor (_ update: LiveUpdate<[Element]>) -> Void)?) {
    guard let body else { return result.onUpdate(nil) }
    result.onUpdate { update in
      body(LiveUpdate(old: update.old.rows, new: update.new.rows) { update() })
    }
  }

  /// Ends the observation, and keeps the rows.
  public func cancel() { result.cancel() }
}

extension LiveWindow.Page: Equatable where Element: Equatable {}
