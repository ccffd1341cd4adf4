import Glibc

/// An IPv4 address and a TCP port.
public struct DoorAddress: Hashable, Sendable {
  /// The four bytes of the IPv4 address.
  public let bytes: [UInt8]
  /// The TCP port.
  public let port: UInt16

  init(bytes: [UInt8], port: UInt16) {
    self.bytes = bytes
    self.port = port
  }

  /// Creates an address from the form of the system.
  init(_ native: sockaddr_in) {
    let number = UInt32(bigEndian: native.sin_addr.s_addr)
    bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    port = UInt16(bigEndian: native.sin_port)
  }

  /// The IPv4 address in dotted decimal notation.
  public var host: String { bytes.map { "\($0)" }.joined(separator: ".") }

  /// Whether only programs of this machine can connect to the address.
  public var isLoopback: Bool { bytes[0] == 127 }

  /// Calls `body` with the address in the form of the system.
  func withNative<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
    var native = sockaddr_in()
    native.sin_family = sa_family_t(AF_INET)
    native.sin_port = port.bigEndian
    native.sin_addr.s_addr = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }.bigEndian
    return unsafe withUnsafePointer(to: &native) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

extension DoorAddress: LosslessStringConvertible {
  /// Creates an address from text such as `10.0.0.1:9001`; nil for any other text.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else { return nil }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let bytes = numbers.compactMap { UInt8($0) }
    guard numbers.count == 4, bytes.count == 4 else { return nil }
    self.init(bytes: bytes, port: port)
    // Signs and leading zeros have other readings elsewhere.
    guard description == text else { return nil }
  }

  public var description: String { "\(host):\(port)" }
}
