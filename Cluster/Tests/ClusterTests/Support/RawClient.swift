import SluiceCluster
import Testing

/// A client that sends bytes to a node, and does not behave.
enum RawClient {
  /// Sends requests, and resets the connection before the node can have answered.
  static func askAndLeave(_ address: NodeAddress) throws {
    let socket = try #require(TestSocket.connected(to: address))
    // The protocol's version, and the question who leads, a thousand times.
    let words: [UInt64] = [1] + [UInt64](repeating: 1, count: 1000).flatMap { [$0, 0] }
    let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    _ = socket.send(bytes)
    socket.endByReset()
  }
}
