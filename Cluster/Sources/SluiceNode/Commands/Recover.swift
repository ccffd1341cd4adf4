import Foundation
import SluiceCluster

/// Makes a node the only member of its cluster.
struct Recover: Command {
  private static let directory = Option(
    name: "--directory", value: "DIR", help: "The folder of the node, which must not run.")
  private static let confirm = Option(
    name: "--others-are-lost",
    help: "Confirm that no other member runs, and that none will ever be started again.")

  let name = "recover"
  let summary = "Makes a node the only member, after the majority of the voters is lost for ever."
  let operands = ""
  let options = [Self.directory, Self.confirm]
  let details = """
    Commits that only the lost nodes had are lost. Before:
      1. End the processes of all nodes that are left.
      2. Choose the node with the newest data: the one whose "sluice-node describe" shows the highest
         term, and among those the highest index.
      3. Copy its directory to a safe place.
    After: start the node, and add nodes with new ids and empty directories with "sluice-node join".
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let directory = try NodeDirectory(arguments.required(Self.directory), creating: false)
    guard let identity = directory.identity, try !directory.isEmpty else {
      throw Failure("\(directory.path) does not contain the data of a node")
    }
    guard arguments.has(Self.confirm) else {
      throw arguments.usageError(
        "\(Self.confirm.name) is missing. If another member still runs, or starts again, there are "
          + "two clusters with different data")
    }
    let node = try Node(id: identity.id, address: identity.address, folder: directory.data)
    try node.recover(members: [Node.Member(id: identity.id, address: identity.address)])
    var member = identity
    member.state = .member
    try directory.remember(member)
    NodeProgram.write(
      "Node \(identity.id) at \(identity.address) is the only member of its cluster.")
    return .success
  }
}
