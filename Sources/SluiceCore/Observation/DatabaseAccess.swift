import CSluice
import Synchronization

/// A database type of this library that supports row streams and observations.
protocol ObservableDatabase: DatabaseReader {
  var access: DatabaseAccess { get }
}

/// The connections of a database that row streams and observations use.
package struct DatabaseAccess: Sendable {
  /// The source of connections for reading.
  let source: ReadSource
  /// The connection for writing, which reports its commits.
  let writer: SerialConnection
  /// The path of the main database, or nil if the database is not a file.
  package var path: String? { writer.identity.path }
}

extension DatabaseReader {
  /// The connections of this database; throws ``ResultCode/misuse`` if another module defines its type.
  package var observableAccess: DatabaseAccess {
    get throws {
      guard let database = self as? any ObservableDatabase else {
        throw SQLiteError(
          .misuse, "A \(Self.self) cannot be observed or streamed; use a queue or a pool")
      }
      return database.access
    }
  }

  /// Returns the publisher that `make` creates, or one that fails if the database cannot be observed.
  func observing<T: Sendable>(
    _ make: (DatabaseAccess) -> ValuePublisher<T>
  ) -> ValuePublisher<T> {
    do {
      let access = try observableAccess
      return make(access).waiting(for: access)
    } catch { return .failing(error) }
  }
}

extension ValuePublisher {
  /// Returns a publisher that delivers only an error.
  static func failing(_ error: any Error) -> Self {
    Self { subscriber in
      let delivery = SubscriptionState(subscriber) { _ in }
      delivery.start()
      delivery.finish(.failure(error))
    }
  }
}

extension ConnectionQueue: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .serial(serial), writer: serial) }
}

extension ConnectionReadQueue: ObservableDatabase {
  var access: DatabaseAccess { DatabaseAccess(source: .serial(serial), writer: writer ?? serial) }
}

extension ConnectionPool: ObservableDatabase {
  var access: DatabaseAccess {
    DatabaseAccess(source: readers.map { .pool($0) } ?? .guarded(writer), writer: writer)
  }
}

/// The source of connections for reading.
enum ReadSource: Sendable {
  /// One connection for all reads.
  case serial(SerialConnection)
  /// One connection for all reads, which must not be used for writing.
  case guarded(SerialConnection)
  /// One of several connections, for as long as it is needed.
  case pool(ReaderPool)
}

extension DatabaseAccess {
  /// Schedules `body` to run with a connection, unless the job is stopped first.
  func start<T: Sendable>(
    _ job: Job, _ body: @escaping @Sendable (inout sending Connection) throws -> T,
    result: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    switch source {
    case .serial(let serial): serial.start(job, body, result: result)
    case .guarded(let serial):
      serial.start(job, { try onlyReading(&$0, body) }, result: result)
    case .pool(let pool): pool.start(job, body, result: result)
    }
  }

  /// The live queries that wait to fetch their values from the source.
  var fetches: FetchQueue {
    switch source {
    case .serial(let serial), .guarded(let serial): serial.fetches
    case .pool(let pool): pool.fetches
    }
  }

  /// Throws if the database can no longer be read or written.
  package func refuseEnded() throws {
    try writer.refuseEnded()
    if case .serial(let serial) = source { try serial.refuseEnded() }
  }

  /// Throws if the calling thread uses a connection of the database, for which another access may wait.
  package func refuseNested() throws {
    let thread = sluice_current_thread()
    func refuse(_ serial: SerialConnection) throws {
      guard serial.interruptState.holder.load(ordering: .relaxed) != thread else {
        throw serial.nested
      }
    }
    try refuse(writer)
    switch source {
    case .serial(let serial), .guarded(let serial): try refuse(serial)
    case .pool(let pool): if pool.isHeld(by: thread) { throw ConnectionPool.nested }
    }
  }

  /// Whether reads and writes use the same connection.
  var readsWhereItWrites: Bool {
    switch source {
    case .serial(let serial), .guarded(let serial): serial === writer
    case .pool: false
    }
  }

  /// Calls `body` on the dispatch queue on which subscribers are called, after the calls that already wait there.
  func afterCompletions(_ body: @escaping @Sendable () -> Void) {
    switch source {
    case .serial(let serial), .guarded(let serial): serial.afterCompletions(body)
    case .pool: writer.afterCompletions(body)
    }
  }

  /// The number of times that the database was suspended.
  ///
  /// If this number grows during a piece of work, a suspension may have interrupted the work, which can be repeated.
  var haltCount: Int {
    let count = writer.haltCount
    guard case .serial(let serial) = source, serial !== writer else { return count }
    return count + serial.haltCount
  }
}
