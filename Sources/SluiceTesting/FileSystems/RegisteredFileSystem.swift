import SluiceCore
import Synchronization

/// A file system that is registered under a unique name until its last reference is released.
///
/// ```swift
/// let system = try RegisteredFileSystem(MemoryFileSystem())
/// let connection = try system.connection("person.db")
/// let pool = try ConnectionPool(path: "person.db", configuration: system.configuration())
/// ```
///
/// A configuration from ``configuration(_:)`` retains the file system, and so do the connections, queues and
/// pools that are opened with it.
public final class RegisteredFileSystem: Sendable {
  private static let count = Atomic(0)
  /// The unique name of the file system.
  public let name: String

  /// Registers a file system, so that connections can be opened with it.
  public init(_ system: some VirtualFileSystem) throws {
    name = "testing \(Self.count.add(1, ordering: .relaxed).newValue)"
    try SQLiteLibrary.addFileSystem(name, system)
  }

  // A test may already have removed the file system.
  deinit { try? SQLiteLibrary.removeFileSystem(name) }

  /// Returns a copy of `configuration` that uses this file system.
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
