import Foundation

/// Ports that no process uses.
enum FreePort {
  /// Returns a free port of an address of this machine.
  static func find(_ host: String) throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    let isValid = unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard descriptor >= 0, isValid, isBound else {
      throw NodeFailure("No port of \(host) is free")
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
