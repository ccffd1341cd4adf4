/// The address at which a client reaches a node: an IPv4 address and a TCP port, or the socket of a door.
///
/// ```swift
/// let node: NodeAddress = "10.0.0.1:9001"
/// let door: NodeAddress = "/run/sluice/door"
/// ```
///
/// A door is the command `sluice-node door`, which listens on a UNIX socket of the client's machine, and reaches the
/// nodes through TLS. The client then reaches all nodes through this door, also those whose addresses it learns. Host names
/// and IPv6 addresses are invalid, because a node listens on a numeric IPv4 address.
public struct NodeAddress: Hashable, Sendable {
  /// The IPv4 address and the port; nil for any node that the door knows.
  package let endpoint: Endpoint?
  /// The path of the door's socket; nil if the client connects to the node itself.
  package let door: String?

  /// An IPv4 address and a TCP port.
  package struct Endpoint: Hashable, Sendable {
    package let host: String
    package let port: UInt16
    /// The four bytes of the IPv4 address.
    let bytes: [UInt8]
  }

  private init(_ endpoint: Endpoint?, door: String?) {
    self.endpoint = endpoint
    self.door = door
  }

  /// The longest path of a door's socket in UTF-8 bytes, which all systems accept.
  static let longestPath = 103
}

extension NodeAddress: LosslessStringConvertible {
  /// Creates an address from text such as `10.0.0.1:9001`, or from an absolute path; nil for any other text.
  ///
  /// A path has at most 103 bytes, because systems do not accept longer paths of sockets.
  public init?(_ text: String) {
    if text.hasPrefix("/") {
      guard 2...Self.longestPath ~= text.utf8.count, !text.utf8.contains(0) else { return nil }
      self.init(nil, door: text)
    } else {
      guard let endpoint = Endpoint(text) else { return nil }
      self.init(endpoint, door: nil)
    }
  }

  /// The address and the port, separated by a colon, or the path of the door.
  public var description: String { endpoint?.description ?? door ?? "" }

  /// Creates the address of a node that another node has told, and that is reached through the same door.
  package init?(_ text: String, likewise other: NodeAddress?) {
    guard let endpoint = Endpoint(text) else { return nil }
    self.init(endpoint, door: other?.door)
  }

  /// The bytes that a client sends before anything else: for a door, a word that names the node.
  package var greeting: [UInt8] {
    guard door != nil else { return [] }
    let port = endpoint?.port ?? 0
    let magic: [UInt8] = [0x53, 0x4c]
    return magic + [UInt8(port >> 8), UInt8(port & 255)] + (endpoint?.bytes ?? [0, 0, 0, 0])
  }
}

extension NodeAddress.Endpoint: CustomStringConvertible {
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = Self.number(parts[1], UInt16.self), port > 0 else {
      return nil
    }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    let bytes = numbers.compactMap { Self.number($0, UInt8.self) }
    guard numbers.count == 4, bytes.count == 4 else { return nil }
    host = String(parts[0])
    self.port = port
    self.bytes = bytes
  }

  package var description: String { "\(host):\(port)" }

  /// Parses decimal digits without a leading zero, which some programs take for octal digits.
  private static func number<N: FixedWidthInteger>(_ text: Substring, _ type: N.Type) -> N? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text.utf8.count == 1 || text.utf8.first != UInt8(ascii: "0")
    else { return nil }
    return N(text)
  }
}

extension NodeAddress: ExpressibleByStringLiteral {
  /// Creates an address from a literal.
  ///
  /// An invalid literal stops the program. Text that is known only at run time is no literal: use ``init(_:)``.
  public init(stringLiteral text: StaticString) {
    guard let address = NodeAddress("\(text)") else {
      preconditionFailure(
        "\"\(text)\" is no address; expected IPv4 digits, as in 10.0.0.1:9001, or the absolute path "
          + "of a door's socket")
    }
    self = address
  }
}
