import Foundation

/// Makes a node the only member of its cluster.
struct Recover: Command {
  private static let directory = Option(
    name: "--directory", value: "DIR", help: "The folder of the node, which must not run.")
  private static let confirm = Option(
    name: "--others-are-lost",
    help: "Recover the node. No other member may run, or be started again: there would be two\n"
      + "clusters with different data.")

  let name = "recover"
  let summary = "Makes a node the only member, after most voters are lost permanently."
  let operands = ""
  let options = [Self.directory, Self.confirm]
  let details = """
    Without --others-are-lost, the command only shows the last entry of the node's log. Commits that
    only the lost nodes have are lost. To recover a cluster:
      1. End the processes of all nodes that are left.
      2. Choose the node whose last entry has the highest term, and among those the highest index.
      3. Copy its directory to a safe place, and recover it with --others-are-lost.
      4. Start it, and add other nodes with new ids and new directories by "sluice-node join".
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let directory = try NodeDirectory(arguments.required(Self.directory), creating: false)
    guard let identity = directory.identity, try !directory.isEmpty else {
      throw Failure("\(directory.path) does not contain the data of a node")
    }
    guard arguments.has(Self.confirm) else {
      let last = try NodeDirectory.access(directory.data) {
        try LastEntry(folder: directory.data)
      }
      try NodeProgram.write(
        "Node \(identity.id) at \(identity.address): the last entry has the term \(last.term) and the "
          + "index \(last.index). Nothing was changed.")
      return .success
    }
    try Self.refuseRoot(directory)
    try Node(identity, folder: directory.data).recover()
    try directory.rememberAsMember(identity)
    try NodeProgram.write(
      "Node \(identity.id) at \(identity.address) is the only member of its cluster.")
    return .success
  }

  /// Throws if the node runs as another user, who could not read the files that root writes.
  private static func refuseRoot(_ directory: NodeDirectory) throws {
    let attributes = try NodeDirectory.access(directory.path) {
      try FileManager.default.attributesOfItem(atPath: directory.path)
    }
    guard geteuid() == 0, let owner = attributes[.ownerAccountID] as? Int, owner != 0 else {
      return
    }
    let name = attributes[.ownerAccountName] as? String ?? "\(owner)"
    throw Failure("\(directory.path) belongs to the user \(name); run this command as this user")
  }
}
