import SluiceCore

/// Requests that concern the cluster instead of a database.
extension NodeConnection {
  /// The nodes of the cluster, as this node knows them.
  package func members(_ patience: Patience) throws -> [NodeMember] {
    try exchange(.members, .servers, patience) {
      $0.append(UInt64(1))
    } decode: { answer in
      try (0..<answer.count(of: 24)).map { _ in
        let id = try answer.word()
        let address = try answer.string()
        let number = try answer.word()
        guard let role = NodeRole(rawValue: number) else {
          throw WireError.broken("Node \(id) has the unknown role \(number)")
        }
        return NodeMember(id: id, address: address, role: role)
      }
    }
  }

  /// Adds a node as a spare; only the leader can.
  package func add(id: UInt64, address: NodeAddress, _ patience: Patience) throws {
    try exchange(.add, .empty, patience) {
      $0.append(id)
      try $0.append(address.description, "The address", .misuse)
    } decode: { _ in
    }
  }

  /// Assigns a role to a node, and waits until the node has the data that the role requires; only the leader can.
  package func assign(id: UInt64, role: NodeRole, _ patience: Patience) throws {
    try exchange(.assign, .empty, patience) {
      $0.append(id)
      $0.append(role.rawValue)
    } decode: { _ in
    }
  }

  /// Removes a node from the cluster; only the leader can.
  package func remove(id: UInt64, _ patience: Patience) throws {
    try exchange(.remove, .empty, patience) {
      $0.append(id)
    } decode: { _ in
    }
  }

  /// Makes another node the leader; only the leader can.
  package func transfer(to id: UInt64, _ patience: Patience) throws {
    try exchange(.transfer, .empty, patience) {
      $0.append(id)
    } decode: { _ in
    }
  }

  /// The failure domain of the node.
  package func failureDomain(_ patience: Patience) throws -> UInt64 {
    // Another format than 0 would end the node.
    try exchange(.describe, .metadata, patience) {
      $0.append(UInt64(0))
    } decode: {
      try $0.word()
    }
  }
}
