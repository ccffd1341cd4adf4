/// TEMPORARY: replaced by SluiceCluster's.
public struct NodeAddress: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
  public let host: String
  public let port: UInt16

  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let port = UInt16(parts[1]), port > 0 else { return nil }
    let bytes = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard bytes.count == 4, !bytes.contains(nil) else { return nil }
    host = String(parts[0])
    self.port = port
  }

  public var description: String { "\(host):\(port)" }
}
