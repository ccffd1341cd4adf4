import ClusterDoor
import SluiceCluster

extension Option {
  static let timeout = timeout(10)

  static func timeout(_ seconds: Int) -> Option {
    Option(
      name: "--timeout", value: "SECONDS",
      help: "The longest time to wait, \(seconds) seconds by default.")
  }

  static let id = Option(name: "--id", value: "ID", help: "The id of the node.")
}

extension Arguments {
  /// An administrator of the cluster at the operands.
  var administrator: ClusterAdministrator {
    get throws { ClusterAdministrator(nodes: try reachableNodes()) }
  }

  /// Returns addresses at which this process reaches the operands: with keys, that of a door in this process.
  func reachableNodes() throws -> [NodeAddress] {
    guard let keys = try keys() else { return try addresses() }
    return [try PrivateDoor.open(to: nodeAddresses(), keys)]
  }

  /// Returns the instant at which the command fails.
  func deadline(_ seconds: Int = 10) throws -> ContinuousClock.Instant {
    .now + .seconds(try number(of: .timeout, in: 1...86_400) ?? seconds)
  }

  /// Returns the value of an option, which is the id of a node; nil if the option was not given.
  func id(_ option: Option) throws -> UInt64? {
    try number(of: option, in: 1...UInt64(Int64.max))
  }

  /// Returns the value of an option, which is the id of a node, and throws if the option was not given.
  func requiredID(_ option: Option) throws -> UInt64 {
    guard let id = try id(option) else { throw missing(option) }
    return id
  }
}

/// Makes a node the leader.
struct Transfer: Command {
  private static let to = Option(name: "--to", value: "ID", help: "The id of the next leader.")

  let name = "transfer"
  let summary = "Makes a member the leader of the cluster."
  let operands = "ADDRESS…"
  let options = [Self.to, Option.timeout]
  let details = ""

  func run(_ arguments: Arguments) throws -> ExitCode {
    let id = try arguments.requiredID(Self.to)
    try arguments.administrator.transfer(to: id, deadline: arguments.deadline())
    try NodeProgram.write("Node \(id) leads the cluster.")
    return .success
  }
}

/// Removes a node from the cluster.
struct Remove: Command {
  let name = "remove"
  let summary = "Removes a member from the cluster permanently."
  let operands = "ADDRESS…"
  let options = [Option.id, .timeout(120)]
  let details = """
    If the node leads the cluster, another voter becomes the leader first. The node need not run. End
    its process, and delete its directory; its id must not be used again.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let id = try arguments.requiredID(.id)
    try arguments.administrator.remove(id, deadline: arguments.deadline(120))
    try NodeProgram.write("Node \(id) is no longer a member.")
    return .success
  }
}
