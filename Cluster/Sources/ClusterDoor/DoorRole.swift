/// The role that a certificate gives to its owner, as its organizational unit.
public enum DoorRole: String, Sendable {
  /// A node, which may do everything.
  case node
  /// A client, which may execute SQL and ask who leads, but neither change members nor join in the replication.
  case client
}

/// The owner of a certificate.
public struct DoorIdentity: Hashable, Sendable {
  /// The common name of the certificate: a node's address, or a client's name.
  public let name: String
  public let role: DoorRole

  public init(name: String, role: DoorRole) {
    self.name = name
    self.role = role
  }
}
