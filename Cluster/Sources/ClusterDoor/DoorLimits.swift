import Glibc

/// The limits that keep a door usable while others connect to it.
public struct DoorLimits: Sendable {
  /// The number of clients that are connected at the same time; nodes do not count.
  public var connections = 1_000
  /// The number of connections of other nodes at the same time.
  public var nodeConnections = 256
  /// The number of connections that have not sent a valid request yet.
  ///
  /// A further one closes the oldest of the address that has the most.
  public var entrances = 512
  /// The time for the handshake and the first request.
  public var entranceTime = Duration.seconds(5)
  /// The longest pause within a request.
  public var frameTime = Duration.seconds(30)
  /// The longest pause of a client within a transaction that writes.
  public var transactionTime = Duration.seconds(30)
  /// The longest time for which the other side accepts no bytes.
  public var stallTime = Duration.seconds(60)
  /// The time to connect to another node, including the handshake.
  public var dialTime = Duration.milliseconds(900)
  /// The largest number of bytes in a request.
  public var messageSize = 256 << 20

  public init() {}

  /// The number of descriptors that a door with these limits can need: a node has three for each client.
  var descriptors: Int { 3 * (connections + nodeConnections) + entrances + 64 }

  /// The number of descriptors that the process may have.
  public static var permittedDescriptors: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return 1024
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Raises the limit of the process to the system's, and lowers the number of connections if it is still too low.
  public mutating func fitDescriptors() {
    var limit = rlimit()
    if unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      limit.rlim_cur = limit.rlim_max
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    let missing = descriptors - Self.permittedDescriptors
    if missing > 0 { connections = max(8, connections - (missing + 2) / 3) }
  }
}
