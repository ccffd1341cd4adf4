/// Starts a node that becomes a member of a cluster.
struct Join: Command {
  private static let joinTimeout = Option(
    name: Option.timeout.name, value: Option.timeout.value,
    help: "The longest time until the node is a voter, 120 seconds by default.")

  let name = "join"
  let summary = "Starts a node, and adds it to a cluster as a voter."
  let operands = "ADDRESS…"
  let options = RunningNode.options + [Self.joinTimeout]
  let details = """
    Each ADDRESS is a node of the cluster, one of which must answer. The first start needs --id and
    --address. Later starts can use the same arguments, or "sluice-node start --directory DIR".
    The directory does not remember other options.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    _ = try arguments.nodeAddresses()
    let cluster = try arguments.addresses()
    return try RunningNode(arguments) { id in
      guard id != 1 else {
        throw arguments.usageError(
          "The node with the id 1 always begins a cluster of its own; choose another id")
      }
      return .joining(cluster)
    }.run()
  }
}
