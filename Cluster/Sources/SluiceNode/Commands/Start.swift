/// Starts a node that begins a cluster, or that is a member already.
struct Start: Command {
  let name = "start"
  let summary = "Starts the first node of a new cluster, or a node that is already a member."
  let operands = ""
  let options = RunningNode.options
  let details = """
    The first start needs --id 1 and --address. Later starts read both from the directory, and refuse
    other values. The directory does not remember other options: pass them at each start. Use
    "sluice-node join" to add further nodes to the cluster.

    A node ends with exit status 3 before its file system is full; it needs 32 MB of free space.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    try RunningNode(arguments) { id in
      guard id == 1 else {
        throw arguments.usageError(
          "Only the node with the id 1 can begin a cluster; use \"sluice-node join\" to add node "
            + "\(id) to a cluster")
      }
      return .first
    }.run()
  }
}
