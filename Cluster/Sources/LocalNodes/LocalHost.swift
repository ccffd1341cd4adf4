import Foundation
package import SluiceCluster
import Synchronization

/// An address of this machine, whose ports no other process uses.
package final class LocalHost: Sendable {
  package let name: String
  /// The ports that ``newAddress()`` has returned.
  private let ports = Mutex<Set<UInt16>>([])

  /// Chooses an address of 127.0.0.0/8, so that no other cluster can take its ports.
  package init() {
    let number = UInt16.random(in: 256..<UInt16.max)
    name = "127.\(number >> 8).\(number & 255).\(UInt8.random(in: 2...254))"
  }

  /// Returns an address with a free port, which is different at each call.
  ///
  /// - Throws: ``NodeFailure`` if no port is free.
  package func newAddress() throws -> NodeAddress {
    // The system can return the same port again, because nobody listens there yet.
    while true {
      let port = try freePort()
      guard ports.withLock({ $0.insert(port).inserted }) else { continue }
      guard let address = NodeAddress("\(name):\(port)") else {
        throw NodeFailure("\(name) is not an address")
      }
      return address
    }
  }

  private func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    let isValid = unsafe inet_pton(AF_INET, name, &address.sin_addr) == 1
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0
          && getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard descriptor >= 0, isValid, isBound else {
      throw NodeFailure("No port of \(name) is free")
    }
    return UInt16(bigEndian: address.sin_port)
  }
}
