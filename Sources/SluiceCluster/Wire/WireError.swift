/// A failure of a request to a node.
package enum WireError: Error, Hashable, Sendable {
  /// The node answered with a failure.
  ///
  /// The connection remains usable.
  case failure(code: Int, message: String)
  /// No connection exists, or the request was not sent completely, so that the node cannot have executed it.
  ///
  /// The connection is closed.
  case unreachable(String)
  /// The connection ended or the deadline passed before the answer, or the answer is invalid.
  ///
  /// The node may have executed the request. The connection is closed.
  case broken(String)
}

extension WireError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .failure(let code, let message): "\(message) (\(code))"
    case .unreachable(let text), .broken(let text): text
    }
  }
}
