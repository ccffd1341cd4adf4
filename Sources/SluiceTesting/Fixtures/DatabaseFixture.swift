import SluiceCore
import Synchronization

/// A database that is created once, and copied in memory for each test.
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
/// Each copy is a file in a ``MemoryFileSystem``: it can have a WAL, and a queue or a pool can open it.
public final class DatabaseFixture: Sendable {
  fileprivate let memory = MemoryFileSystem()
  fileprivate let system: RegisteredFileSystem
  private let count = Atomic(0)
  private let bytes: [UInt8]

  /// Creates the database by calling `body`, and rethrows any error that `body` throws.
  public init(
    configuration: Configuration = Configuration(), _ body: (Connection) throws -> Void
  ) throws {
    system = try RegisteredFileSystem(memory)
    let connection = try system.connection("fixture.db", configuration: configuration)
    try body(connection)
    // A WAL is a separate file, which would also have to be copied.
    try connection.execute(sql: "PRAGMA journal_mode = delete")
    try connection.close()
    bytes = memory["fixture.db"] ?? []
    memory.removeAll()
  }

  /// Returns a copy, which exists for as long as something retains it, such as a connection or a pool.
  public func copy() -> DatabaseCopy {
    let path = "copy \(count.add(1, ordering: .relaxed).newValue).db"
    memory[path] = bytes
    return DatabaseCopy(path, self)
  }

  /// Opens a connection to a new copy, which is deleted when the connection is deallocated.
  public func connection(configuration: Configuration = Configuration()) throws -> Connection {
    let copy = copy()
    return try Connection(path: copy.path, configuration: copy.configuration(configuration))
  }
}

/// A copy of a ``DatabaseFixture``, which any number of connections, queues and pools can open.
public final class DatabaseCopy: Sendable {
  /// The path of the copy in the file system that ``configuration(_:)`` uses.
  public let path: String
  private let fixture: DatabaseFixture

  fileprivate init(_ path: String, _ fixture: DatabaseFixture) {
    self.path = path
    self.fixture = fixture
  }

  deinit { for suffix in ["", "-journal", "-wal"] { fixture.memory[path + suffix] = nil } }

  /// Returns a copy of `configuration` that uses the file system of this database.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    var configuration = fixture.system.configuration(configuration)
    configuration.retainedResource = ClientState(self)
    return configuration
  }
}
