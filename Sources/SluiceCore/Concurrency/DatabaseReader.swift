/// What many threads and tasks can read from: rows as streams, and values that are observed.
public protocol DatabaseReader: Sendable {
  /// The way to the database.
  var access: DatabaseAccess { get }
}

/// The way to a database, for those who read it.
public struct DatabaseAccess: Sendable {
  /// Where it is read.
  let source: ReadSource
  /// Where it is written, and can be told what has changed.
  let writer: ConnectionLine
  /// The path of the main database, or nil if it is no file.
  public var path: String? { writer.path }
}

extension ConnectionQueue: DatabaseReader {
  public var access: DatabaseAccess { DatabaseAccess(source: .line(line), writer: line) }
}

extension ConnectionReadQueue: DatabaseReader {
  public var access: DatabaseAccess { DatabaseAccess(source: .line(line), writer: writer ?? line) }
}

extension ConnectionPool: DatabaseReader {
  public var access: DatabaseAccess {
    DatabaseAccess(source: readers.map { .pool($0) } ?? .guarded(writer), writer: writer)
  }
}

/// Where those who read get their connection.
enum ReadSource: Sendable {
  /// There is one for all.
  case line(ConnectionLine)
  /// There is one for all, which could write but must not.
  case guarded(ConnectionLine)
  /// It is one of several, for as long as it is needed.
  case pool(ReaderPool)
}

extension DatabaseAccess {
  /// Lends a connection later, unless the job is stopped before.
  func start<T: Sendable>(
    _ job: Job, _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    switch source {
    case .line(let line): line.start(job, body, result: result)
    case .guarded(let line):
      line.start(job, { try onlyReading(&$0, body) }, result: result)
    case .pool(let pool): pool.start(job, body, result: result)
    }
  }

  /// Throws if the database cannot be read or written here any more.
  package func refuseEnded() throws {
    try writer.refuseEnded()
    if case .line(let line) = source { try line.refuseEnded() }
  }

  /// Whether reads have the connection that writes.
  var readsWhereItWrites: Bool {
    switch source {
    case .line(let line), .guarded(let line): line === writer
    case .pool: false
    }
  }

  /// Calls `body` where subscribers are called, after those that wait there.
  func afterCompletions(_ body: @escaping @Sendable () -> Void) {
    switch source {
    case .line(let line), .guarded(let line): line.afterCompletions(body)
    case .pool: writer.afterCompletions(body)
    }
  }

  /// How often it was halted: what a halt has interrupted can be done again.
  var haltCount: Int {
    let count = writer.haltCount
    guard case .line(let line) = source, line !== writer else { return count }
    return count + line.haltCount
  }
}
