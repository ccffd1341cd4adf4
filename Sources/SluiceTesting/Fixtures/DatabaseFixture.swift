import SluiceCore
import Synchronization

/// A database that is made once, and of which each test gets a copy of its own, in memory.
///
/// ```swift
/// let people = try DatabaseFixture { connection in
///   try connection.execute(
///     sql: "CREATE TABLE person(name TEXT); INSERT INTO person VALUES ('Ada'), ('Alan')")
/// }
/// let connection = try people.connection()
/// let copy = people.copy()
/// let pool = try ConnectionPool(path: copy.path, configuration: copy.configuration())
/// ```
///
/// A copy is a file of a ``MemoryFileSystem``: it can have a WAL, and belong to a queue or a pool.
public final class DatabaseFixture: Sendable {
  fileprivate let memory = MemoryFileSystem()
  fileprivate let system: RegisteredFileSystem
  private let count = Atomic(0)
  private let bytes: [UInt8]

  /// Makes the database; what `body` throws is thrown on.
  public init(
    configuration: Configuration = Configuration(), _ body: (Connection) throws -> Void
  ) throws {
    system = try RegisteredFileSystem(memory)
    let connection = try system.connection("fixture.db", configuration: configuration)
    try body(connection)
    // A WAL is a file of its own, which would have to be copied as well.
    try connection.execute(sql: "PRAGMA journal_mode = delete")
    try connection.close()
    bytes = memory["fixture.db"] ?? []
    memory.removeAll()
  }

  /// Makes a copy, which lasts as long as something refers to it, be it a connection or a pool.
  public func copy() -> DatabaseCopy {
    let path = "copy \(count.add(1, ordering: .relaxed).newValue).db"
    memory[path] = bytes
    return DatabaseCopy(path, self)
  }

  /// Opens a connection to a copy of its own, which goes with it.
  public func connection(configuration: Configuration = Configuration()) throws -> Connection {
    let copy = copy()
    return try Connection(path: copy.path, configuration: copy.configuration(configuration))
  }
}

/// A copy of a ``DatabaseFixture``, with which any number of connections, queues and pools can be opened.
public final class DatabaseCopy: Sendable {
  /// The path, in the file system of ``configuration(_:)``.
  public let path: String
  private let fixture: DatabaseFixture

  fileprivate init(_ path: String, _ fixture: DatabaseFixture) {
    self.path = path
    self.fixture = fixture
  }

  deinit { for suffix in ["", "-journal", "-wal"] { fixture.memory[path + suffix] = nil } }

  /// The same configuration, for a connection that can find the copy.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    var configuration = fixture.system.configuration(configuration)
    configuration.retainedResource = ClientState(self)
    return configuration
  }
}
