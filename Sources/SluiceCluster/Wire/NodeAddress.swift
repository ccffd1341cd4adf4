/// The address of a node: an IPv4 address and a TCP port.
///
/// ```swift
/// let address: NodeAddress = "10.0.0.1:9001"
/// ```
///
/// Host names and IPv6 addresses are invalid, because a node listens on a numeric IPv4 address.
public struct NodeAddress: Hashable, Sendable {
  /// The IPv4 address in dotted decimal notation.
  public let host: String
  /// The TCP port.
  public let port: UInt16
  /// The four bytes of the IPv4 address.
  let bytes: [UInt8]
}

extension NodeAddress: LosslessStringConvertible {
  /// Creates an address from text such as `10.0.0.1:9001`; nil for any other text.
  public init?(_ text: String) {
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

  /// The address and the port, separated by a colon.
  public var description: String { "\(host):\(port)" }

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
      preconditionFailure("\"\(text)\" is no address; expected IPv4 digits, as in 10.0.0.1:9001")
    }
    self = address
  }
}
