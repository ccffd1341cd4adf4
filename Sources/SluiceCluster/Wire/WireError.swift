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
    case .failure(let code, let message): "\(message.printable) (\(code))"
    case .unreachable(let text), .broken(let text): text.printable
    }
  }
}

extension String {
  /// The first 1,000 characters of text that another machine may have written, with its control characters escaped.
  var printable: String {
    let end = index(startIndex, offsetBy: 1_000, limitedBy: endIndex) ?? endIndex
    return self[..<end].unicodeScalars.reduce(into: "") { text, scalar in
      let isControl =
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
      text += isControl ? scalar.escaped(asASCII: true) : String(scalar)
    } + (end < endIndex ? "…" : "")
  }
}
