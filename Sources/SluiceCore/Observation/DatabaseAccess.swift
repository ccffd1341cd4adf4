/// A database of this library, whose connections are reached for streams of rows and observation.
protocol ObservableDatabase: DatabaseReader {
  var access: DatabaseAccess { get }
}

/// The connections of a database, for streams of rows and observation.
package struct DatabaseAccess: Sendable {
  /// The source of connections that read.
  let source: ReadSource
  /// The line of the connection that writes, which reports its commits.
  let writer: ConnectionLine
  /// The path of the main database, or nil if it is no file.
  package var path: String? { writer.path }
}

extension DatabaseReader {
  /// The connections of this database; throws ``ResultCode/misuse`` for a type of another module.
  package var observableAccess: DatabaseAccess {
    get throws {
      guard let database = self as? any ObservableDatabase else {
        throw SQLiteError(
          .misuse, "A \(Self.self) cannot be observed or streamed: use a queue or a pool")
      }
      return database.access
    }
  }

  /// The publisher that `make` returns, or one that fails if the database cannot be observed.
  func observing<T: Sendable>(
    _ make: (DatabaseAccess) -> ValuePublisher<T>
  ) -> ValuePublisher<T> {
    do { return make(try observableAccess) } catch { return .failing(error) }
  }
}

extension ValuePublisher {
  /// A publisher without values, which fails.
  static func failing(_ error: any Error) -> Self {
    Self { subscriber in
      let delivery = Delivery<Output>(subscriber) { _ in }
      delivery.start()
      delivery.finish(.failure(error))
    }
  }
}

extension ConnectionQueue: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .line(line), writer: line) }
}

extension ConnectionReadQueue: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .line(line), writer: writer ?? line) }
}

extension ConnectionPool: ObservableDatabase {
  var access: DatabaseAccess {
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
