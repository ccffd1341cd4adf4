import Foundation
import SluiceCluster
import Testing

/// A client that sends bytes to a node, and does not behave.
enum RawClient {
  /// Sends requests, and resets the connection before the node can have answered.
  static func askAndLeave(_ address: NodeAddress) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = address.port.bigEndian
    let isValid = unsafe inet_pton(AF_INET, address.host, &target.sin_addr) == 1
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = unsafe withUnsafePointer(to: &target) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, size) == 0
      }
    }
    try #require(isValid && isConnected)
    // The protocol's version, and the question who leads, a thousand times.
    let words: [UInt64] = [1] + [UInt64](repeating: 1, count: 1000).flatMap { [$0, 0] }
    _ = unsafe words.withUnsafeBytes { bytes in
      unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }
    // Closing with unread bytes and without a linger time resets the connection.
    var now = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
  }
}
