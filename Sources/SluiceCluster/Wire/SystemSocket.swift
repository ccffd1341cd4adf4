#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The functions of sockets that differ between systems, which extensions implement: one file for each system.
enum SystemSocket {
  /// Sets an option of a socket to 1.
  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
    var on: Int32 = 1
    _ = unsafe setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Calls `body` with the address of the socket at a path, which the system must be able to store.
  static func withAddress(
    ofPath path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = pathAddress()
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
      // A NUL follows the path, because the address consists of zeros.
      unsafe room.copyBytes(from: path.utf8.prefix(room.count - 1))
    }
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
