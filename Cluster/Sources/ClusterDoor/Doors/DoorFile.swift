import Glibc

/// The file of a door's UNIX socket.
enum DoorFile {
  /// Returns a socket that accepts connections at a path, where the socket of a door that ended is replaced.
  ///
  /// - Throws: ``DoorError`` if a door accepts connections there, or if another kind of file is there.
  static func listening(at path: String, mode: UInt32) throws -> Int32 {
    try requireUnused(path)
    // The file appears under its name when it has its permissions, and when connections are accepted.
    let new = path + ".new"
    _ = unsafe unlink(new)
    let descriptor = SystemSockets.open(AF_UNIX)
    guard descriptor >= 0 else { throw DoorError.system("A socket cannot be made") }
    guard let status = unsafe SystemSockets.withPath(new, { unsafe bind(descriptor, $0, $1) })
    else {
      close(descriptor)
      throw DoorError("The path of a door's socket has at most 103 bytes (got \(path.utf8.count))")
    }
    guard status == 0, unsafe chmod(new, mode_t(mode)) == 0, listen(descriptor, 1024) == 0,
      unsafe rename(new, path) == 0
    else {
      let error = DoorError.system("\(path) cannot be used")
      close(descriptor)
      _ = unsafe unlink(new)
      throw error
    }
    return descriptor
  }

  private static func requireUnused(_ path: String) throws {
    var info = stat()
    guard unsafe lstat(path, &info) == 0 else { return }
    guard info.st_mode & S_IFMT == S_IFSOCK else {
      throw DoorError("\(path) exists already, and is not a socket")
    }
    let probe = SystemSockets.open(AF_UNIX)
    guard probe >= 0 else { throw DoorError.system("A socket cannot be made") }
    defer { close(probe) }
    guard SystemSockets.connect(probe, toPath: path) == ECONNREFUSED else {
      throw DoorError("\(path) is in use by another door")
    }
  }
}
