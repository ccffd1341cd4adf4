import CSluice

/// A file as the operating system knows it, whatever its name is.
///
/// As long as a connection has the file open, no other file gets the same identity.
struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// The file that has this path now; nil if there is none.
  init?(path: String) {
    var (device, number): (UInt64, UInt64) = (0, 0)
    guard unsafe sluice_file_identity(path, &device, &number) else { return nil }
    (self.device, self.number) = (device, number)
  }

  /// The file of a database; nil if the file system cannot tell whether it has been replaced.
  init?(of connection: Connection, path: String, database: String = "main") {
    guard let identity = FileIdentity(path: path),
      (try? connection.hasFileMoved(database: database)) == false
    else { return nil }
    self = identity
  }
}
