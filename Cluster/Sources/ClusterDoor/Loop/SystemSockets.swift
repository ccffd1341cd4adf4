import CEpoll
import Glibc

/// The calls of the system that make sockets.
enum SystemSockets {
  private static let flags = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue

  /// Returns a nonblocking socket, or a negative number.
  static func open(_ family: Int32) -> Int32 { socket(family, Int32(flags), 0) }

  /// Sets an option of a socket to a number.
  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32 = 1) {
    var value = value
    _ = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// `TCP_RTO_MAX_MS` of Linux 6.15 and later, which the headers do not declare yet.
  private static let longestRetransmission: Int32 = 44

  /// Sends small messages at once, and notices the end of a machine within about a minute.
  ///
  /// While the other machine does not answer, TCP sends again after pauses that become twice as long each time. After a
  /// failure of the network, nodes would wait up to as long as the failure has lasted, and could not elect a leader
  /// meanwhile. So a pause lasts at most a second, where the system permits to choose.
  static func prepareTCP(_ descriptor: Int32) {
    let tcp = Int32(IPPROTO_TCP)
    set(descriptor, tcp, TCP_NODELAY)
    set(descriptor, tcp, longestRetransmission, 1_000)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE)
    set(descriptor, tcp, TCP_KEEPIDLE, 15)
    set(descriptor, tcp, TCP_KEEPINTVL, 5)
    set(descriptor, tcp, TCP_KEEPCNT, 4)
    set(descriptor, tcp, TCP_USER_TIMEOUT, 60_000)
  }

  /// Returns a socket that accepts connections at an address.
  static func listening(at address: DoorAddress) throws -> Int32 {
    let descriptor = open(AF_INET)
    guard descriptor >= 0 else { throw DoorError.system("A socket cannot be made") }
    set(descriptor, SOL_SOCKET, SO_REUSEADDR)
    guard unsafe address.withNative({ unsafe bind(descriptor, $0, $1) }) == 0,
      listen(descriptor, 1024) == 0
    else {
      let error = DoorError.system(
        "\(address) cannot be used: another process uses the port, or the address does not belong "
          + "to this machine")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Calls `body` with the address of a UNIX socket; a name that begins with "@" is abstract.
  static func withPath<T>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) -> T? {
    var bytes = Array(path.utf8)
    if path.hasPrefix("@") { bytes[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard bytes.count < room else { return nil }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    // The length of an abstract name is a part of it.
    let head = MemoryLayout<sockaddr_un>.size - room
    let size = socklen_t(head + bytes.count + (path.hasPrefix("@") ? 0 : 1))
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, size) }
    }
  }

  /// Begins to connect to a UNIX socket, and returns 0 or the error of the system.
  static func connect(_ descriptor: Int32, toPath path: String) -> Int32 {
    let status = unsafe withPath(path) { unsafe Glibc.connect(descriptor, $0, $1) }
    guard let status else { return ENAMETOOLONG }
    return status == 0 ? 0 : errno
  }

  /// Begins to connect to an address, and returns 0 or the error of the system.
  static func connect(_ descriptor: Int32, to address: DoorAddress) -> Int32 {
    unsafe address.withNative { unsafe Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
  }

  /// Returns a blocking socket that is connected to an address; nil if that is impossible within the time limit.
  static func connected(to address: DoorAddress, within limit: Duration) -> Int32? {
    let descriptor = open(AF_INET)
    guard descriptor >= 0 else { return nil }
    var code = connect(descriptor, to: address)
    if code == EINPROGRESS {
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let count = unsafe poll(&wait, 1, Int32(limit / .milliseconds(1)))
      code = count == 1 ? connectionError(descriptor) : ETIMEDOUT
    }
    guard code == 0, fcntl(descriptor, F_SETFL, 0) == 0 else {
      close(descriptor)
      return nil
    }
    prepareTCP(descriptor)
    return descriptor
  }

  /// Returns the error of a connection that was begun; 0 if there is none.
  static func connectionError(_ descriptor: Int32) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return status == 0 ? code : errno
  }

  /// Accepts a connection of a TCP socket, and returns its descriptor and address, or nil with `errno`.
  static func accept(_ listener: Int32) -> (descriptor: Int32, address: DoorAddress)? {
    var native = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = unsafe withUnsafeMutablePointer(to: &native) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe accept4(listener, $0, &size, flags)
      }
    }
    return descriptor < 0 ? nil : (descriptor, DoorAddress(native))
  }
}
