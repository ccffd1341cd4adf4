/// Rows of a queue that come as they are asked for.
///
/// ```swift
/// for try await event in readQueue.rows(.titled, sql: "SELECT id, title FROM event") {
///   print(event.title)
///   if event.title == "Analytical Engine" { break }
/// }
/// ```
///
/// They are read in batches, of which there is one in memory at a time, and the queue is free between
/// them. The statement ends with its last row, and when the iterator goes, be it by `break`: what is
/// called on the queue after that finds it gone. If the task is cancelled, `CancellationError` is thrown. The
/// rows before one that fails come before its error.
///
/// Until then its connection reads the database as it was when the stream began, but for what that connection
/// writes itself. So what else a ``ConnectionReadQueue`` reads meanwhile is of that time as well; and a queue that writes
/// can find that another connection has written, with ``ResultCode/busySnapshot``, and cannot drop a table, make
/// a checkpoint or run `VACUUM`. If it rolls back a change of the schema, the stream ends with
/// ``ResultCode/abortRollback``. Long streams are for a ``ConnectionPool``, or for a read queue of their own. In a
/// pool, a stream has one of the readers for as long as it goes on; when the pool closes, it ends. A queue or pool
/// that is suspended ends it with ``ResultCode/interrupt``.
public struct RowStream<Element: Sendable>: AsyncSequence, Sendable {
  let query: RowQuery<Element>
  let access: Result<DatabaseAccess, any Error>

  /// Begins at the first row.
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor: access.map { RowCursor(query, on: $0) })
  }

  /// What goes from row to row.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nil after the end.
    private var cursor: RowCursor<Element>?
    /// The error of a database that has no streams, until it is thrown.
    private var failure: (any Error)?
    private var values: [Element] = []
    private var position = 0
    private var limit = 16

    init(cursor: Result<RowCursor<Element>, any Error>) {
      switch cursor {
      case .success(let cursor): self.cursor = cursor
      case .failure(let failure): self.failure = failure
      }
    }

    /// What the next row has become, or nil at the end.
    public mutating func next() async throws -> Element? {
      do {
        try Task.checkCancellation()
        if let failure = failure.take() { throw failure }
        if position == values.count { try await readOn() }
      } catch {
        cursor = nil
        values = []
        position = 0
        throw error
      }
      guard position < values.count else { return nil }
      defer { position += 1 }
      return values[position]
    }

    private mutating func readOn() async throws {
      guard let cursor else { return }
      let limit = limit
      // The old ones go first: of two batches, one would be waste.
      values = []
      position = 0
      let (batch, isLast) = try await Job.result(of: cursor.start(limit))
      values = batch
      if isLast { self.cursor = nil }
      self.limit = Swift.min(limit * 2, 512)
    }
  }
}

extension DatabaseReader {
  /// The values that `converter` makes of the rows of one statement, as they are asked for.
  ///
  /// `parameters` are the values by position.
  @_disfavoredOverload  // A list in brackets is a list of values, not a blob of bytes.
  public func rows<
    T: Sendable, A: SQLBindable, B: SQLBindable, C: SQLBindable, D: SQLBindable, E: SQLBindable,
    F: SQLBindable
  >(
    _ converter: RowConverter<T>, sql: String, parameters a: A = SQLParameters.NoValue(),
    _ b: B = SQLParameters.NoValue(),
    _ c: C = SQLParameters.NoValue(), _ d: D = SQLParameters.NoValue(),
    _ e: E = SQLParameters.NoValue(), _ f: F = SQLParameters.NoValue(),
    _ others: (any SQLBindable)?...
  ) -> RowStream<T> {
    rows(converter, sql: sql, parameters: SQLParameters(a, b, c, d, e, f, others))
  }

  /// The values that `converter` makes of the rows of one statement, as they are asked for.
  ///
  /// `parameters` are the values by position or by name.
  public func rows<T: Sendable>(
    _ converter: RowConverter<T>, sql: String, parameters: SQLParameters
  ) -> RowStream<T> {
    stream(converter, sql: sql) { try $0.bind(parameters) }
  }

  /// The values that `converter` makes of the rows of a literal, as they are asked for.
  public func rows<T: Sendable>(_ converter: RowConverter<T>, _ sql: SQL) -> RowStream<T> {
    rows(converter, sql: sql.text, parameters: SQLParameters(sql.parameters))
  }

  private func stream<T: Sendable>(
    _ converter: RowConverter<T>, sql: String,
    _ bind: @escaping @Sendable (Statement) throws -> Void
  ) -> RowStream<T> {
    let query = RowQuery(sql: sql, bind: bind, convert: converter.convert)
    return RowStream(query: query, access: Result { try observableAccess })
  }
}
