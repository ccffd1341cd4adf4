import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Testing

/// A blocking TCP socket, whose waits end after 20 ms.
final class TestSocket: Sendable {
  private let descriptor: Int32
  private static let wait: Int32 = 20

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Takes a port of an address.
  static func bound(to address: NodeAddress) throws -> TestSocket {
    let target = try #require(DoorAddress(address.description))
    let socket = try TestSocket(created())
    var on: Int32 = 1
    _ = unsafe setsockopt(
      socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    // A process that starts at this moment can still have the socket that has found the port.
    for _ in 0..<100 {
      let isBound = unsafe withAddress(target.host, target.port) {
        unsafe bind(socket.descriptor, $0, $1) == 0
      }
      if isBound { return socket }
      usleep(10_000)
    }
    throw NodeFailure("\(address) is not free")
  }

  /// Accepts connections at the address of the socket.
  func startListening() { listen(descriptor, 64) }

  /// Connects to an address; nil if nobody listens there.
  static func connected(to node: NodeAddress) -> TestSocket? {
    guard let descriptor = try? created() else { return nil }
    let socket = TestSocket(descriptor)
    guard let target = DoorAddress(node.description) else { return nil }
    let isConnected = unsafe withAddress(target.host, target.port) {
      unsafe connect(socket.descriptor, $0, $1) == 0
    }
    return isConnected ? socket : nil
  }

  /// Connects to the UNIX socket at a path; nil if nobody listens there.
  static func connected(toPath path: String) -> TestSocket? {
    let descriptor = Glibc.socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    let socket = TestSocket(descriptor)
    return unsafe withPath(path) { unsafe connect(descriptor, $0, $1) == 0 } ? socket : nil
  }

  /// Accepts connections at a UNIX socket; a name that begins with "@" is abstract.
  static func listening(atPath path: String) throws -> TestSocket {
    let socket = TestSocket(
      Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    let isBound = unsafe withPath(path) { unsafe bind(socket.descriptor, $0, $1) == 0 }
    try #require(isBound && listen(socket.descriptor, 1024) == 0, "\(path) is not free")
    return socket
  }

  /// Returns the next bytes until there are `count`, or until the connection ends or a time has passed.
  func received(_ count: Int, within limit: Duration = .seconds(10)) -> [UInt8] {
    var bytes: [UInt8] = []
    let deadline = ContinuousClock.now + limit
    while bytes.count < count, ContinuousClock.now < deadline, let more = received() {
      bytes += more
    }
    return bytes
  }

  /// Receives until the connection ends; nil if it does not end in time.
  func receivedUntilEnd(within limit: Duration = .seconds(10)) -> [UInt8]? {
    var bytes: [UInt8] = []
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
      guard let more = received() else { return bytes }
      bytes += more
    }
    return nil
  }

  /// Returns the next connection; nil if there is none yet.
  func accepted() -> TestSocket? {
    guard isReady() else { return nil }
    let accepted = accept(descriptor, nil, nil)
    guard accepted >= 0 else { return nil }
    _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
    return TestSocket(accepted)
  }

  /// Returns the bytes that arrived, none if none arrived yet, or nil at the end.
  func received() -> [UInt8]? {
    guard isReady() else { return [] }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  /// Sends all bytes, and returns whether the connection exists.
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Ends the connection in both directions.
  func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Makes the end of the connection a reset, which discards everything that the other side sent.
  func endByReset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }

  private func isReady() -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, Self.wait) > 0
  }

  private static func created() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    return descriptor
  }

  private static func withPath<T>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) -> T {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    if path.hasPrefix("@") { bytes[0] = 0 }
    let room = MemoryLayout.size(ofValue: address.sun_path)
    precondition(bytes.count < room)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let size = MemoryLayout<sockaddr_un>.size - room + bytes.count + (path.hasPrefix("@") ? 0 : 1)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(size))
      }
    }
  }

  private static func withAddress<T>(
    _ host: String, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T
  ) -> T {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    precondition(unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1)
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
