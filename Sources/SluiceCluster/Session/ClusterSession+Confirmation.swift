import SluiceCore

/// The proof that a read was not stale.
extension ClusterSession {
  /// Throws unless the node that has answered was the leader while it answered.
  ///
  /// More than half of the voters must name it as the leader after the read. It must not have lost its leadership in the
  /// meantime, which would have ended the transaction.
  func confirm() throws {
    let (address, members) = try leaderAndMembers()
    let voters = members.filter { $0.role == .voter }.compactMap { NodeAddress($0.address) }
    var count = voters.contains(address) ? 1 : 0
    for voter in voters where voter != address && count * 2 <= voters.count {
      if directory.leader(accordingTo: voter, patience(.seconds(1))) == address { count += 1 }
    }
    guard count * 2 > voters.count else {
      throw ClusterError.interrupted(
        "\(count) of \(voters.count) voters have named \(address) as the leader")
    }
    try touch()
  }
}
