import CSluice

/// The operating system's identity of a file, which does not depend on the file's name.
///
/// As long as a connection has the file open, no other file gets the same identity.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64

  /// Creates the identity of the file that has this path now, or nil if there is none.
  package init?(path: String) {
    var (device, number): (UInt64, UInt64) = (0, 0)
    guard unsafe sluice_file_identity(path, &device, &number) else { return nil }
    (self.device, self.number) = (device, number)
  }

  /// Creates the identity of a database file, or nil if the file may have been replaced.
  ///
  /// The file counts as replaced if the file system cannot report whether it was replaced.
  init?(of connection: Connection, path: String, database: String = "main") {
    guard let identity = FileIdentity(path: path),
      (try? connection.hasFileMoved(database: database)) == false
    else { return nil }
    self = identity
  }
}
