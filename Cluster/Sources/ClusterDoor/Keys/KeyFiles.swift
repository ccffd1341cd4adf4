import COpenSSL
import Glibc

/// The files of keys and certificates, which are new, and which only their owner can use.
enum KeyFiles {
  /// Creates a folder that only its owner can use.
  static func createFolder(_ path: String) throws {
    guard unsafe mkdir(path, 0o700) == 0 else {
      throw errno == EEXIST
        ? DoorError("\(path) exists already; nothing is replaced")
        : DoorError.system("\(path) cannot be created")
    }
  }

  static func write(key: OpaquePointer, to path: String) throws {
    try unsafe write(path) { unsafe PEM_write_PrivateKey($0, key, nil, nil, 0, nil, nil) }
  }

  static func write(certificate: OpaquePointer, to path: String) throws {
    try unsafe write(path) { unsafe PEM_write_X509($0, certificate) }
  }

  private static func write(
    _ path: String, _ body: (UnsafeMutablePointer<FILE>) -> Int32
  ) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0, let stream = unsafe fdopen(descriptor, "w") else {
      throw DoorError.system("\(path) cannot be created")
    }
    let isWritten = unsafe body(stream) == 1 && fflush(stream) == 0 && fsync(descriptor) == 0
    guard unsafe fclose(stream) == 0, isWritten else {
      throw DoorError.system("\(path) cannot be written")
    }
  }
}
