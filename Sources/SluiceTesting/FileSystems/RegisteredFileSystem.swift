import SluiceCore
import Synchronization

/// A file system under a name of its own, which is taken back when nothing refers to it any more.
///
/// ```swift
/// let system = try RegisteredFileSystem(MemoryFileSystem())
/// let connection = try system.connection("person.db")
/// let pool = try ConnectionPool(path: "person.db", configuration: system.configuration())
/// ```
///
/// Its configurations refer to it, and so do the connections, queues and pools that were opened with them.
public final class RegisteredFileSystem: Sendable {
  private static let count = Atomic(0)
  /// The name, which no other file system has.
  public let name: String

  /// Adds a file system to those that connections can be opened with.
  public init(_ system: some VirtualFileSystem) throws {
    name = "testing \(Self.count.add(1, ordering: .relaxed).newValue)"
    try SQLiteLibrary.addFileSystem(name, system)
  }

  // A test may have removed the file system already.
  deinit { try? SQLiteLibrary.removeFileSystem(name) }

  /// The same configuration, for a connection that uses this file system.
  public func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
    var configuration = configuration
    configuration.fileSystem = name
    configuration.retainedResource = ClientState(self)
    return configuration
  }

  /// Opens a connection that uses this file system.
  public func connection(
    _ path: String, configuration: Configuration = Configuration()
  ) throws -> Connection {
    try Connection(path: path, configuration: self.configuration(configuration))
  }
}
