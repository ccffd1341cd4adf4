import ClusterDoor

/// Makes the keys and certificates of a cluster.
struct MakeKeys: Command {
  private static let directory = Option(
    name: "--directory", value: "DIR",
    help:
      "The folder of the cluster's authority, in which each certificate gets a folder. Keep it\n"
      + "on a machine that no node and no client runs on.")
  private static let node = Option(
    name: "--node", value: "ADDRESS", help: "Make the certificate of the node at this address.",
    repeats: true)
  private static let client = Option(
    name: "--client", value: "NAME",
    help: "Make the certificate of a client. The name appears in the logs of the nodes.",
    repeats: true)
  private static let days = Option(
    name: "--days", value: "N", help: "The days for which certificates are valid, 730 by default.")
  private static let authorityDays = Option(
    name: "--authority-days", value: "N",
    help: "The days for which a new authority is valid, 3650 by default.")

  let name = "keys"
  let summary = "Makes the keys and certificates of a cluster, or lists them."
  let operands = ""
  let options = [Self.directory, Self.node, Self.client, Self.days, Self.authorityDays]
  let details = """
    The first call makes the authority of the cluster, with which later calls sign further
    certificates. Nothing is replaced. To renew a certificate, move its folder away, make it again, copy
    it, and restart the node or the door, which reads its files only when it starts. Without --node and
    --client, the command lists the certificates and the dates on which they expire.

    A certificate of a node may do everything. A certificate of a client may execute SQL, copy databases
    and show the status, but not change members.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let ring = KeyRing(try arguments.required(Self.directory))
    let days = try arguments.number(of: Self.days, in: 1...36_500) ?? 730
    let authorityDays = try arguments.number(of: Self.authorityDays, in: 1...36_500) ?? 3_650
    let owners = try owners(arguments)
    guard !owners.isEmpty else { return try list(ring) }
    for entry in try ring.make(owners, days: days, authorityDays: authorityDays) {
      try NodeProgram.write("\(entry.folder.path): made, expires on \(entry.expiry)")
    }
    try NodeProgram.write(
      """
      Copy each of these folders to its machine, where only the user of the process may read it:
      """)
    for owner in owners {
      let use =
        switch owner {
        case .node(let address): "the machine of the node \(address), for start and join --keys"
        case .client(let name): "the machine of the client \(name), for door --keys"
        }
      try NodeProgram.write("  \(ring.path)/\(owner.folder): \(use)")
    }
    try NodeProgram.write(
      "Keep \(ring.path)/authority secret: who has it can make certificates of this cluster.")
    return .success
  }

  private func list(_ ring: KeyRing) throws -> ExitCode {
    let entries = try ring.entries()
    guard !entries.isEmpty else {
      throw Failure("\(ring.path) has no certificates; make some with --node and --client")
    }
    for entry in entries {
      try NodeProgram.write("\(entry.folder.path): expires on \(entry.expiry)")
    }
    return .success
  }

  private func owners(_ arguments: Arguments) throws -> [Authority.Owner] {
    var owners: [Authority.Owner] = []
    for text in arguments.values(of: Self.node) {
      guard let address = DoorAddress(text), !address.host.hasPrefix("0.") else {
        throw arguments.usageError(
          "\(Self.node.name) must be the address of a node, such as 10.0.0.1:9001 (got \"\(text)\")"
        )
      }
      owners.append(.node(address))
    }
    for name in arguments.values(of: Self.client) {
      let isValid =
        1...60 ~= name.utf8.count && name.first?.isLetter == true
        && name.utf8.allSatisfy { byte in
          byte < 128
            && (Character(Unicode.Scalar(byte)).isLetter
              || Character(Unicode.Scalar(byte)).isNumber || byte == 0x2d || byte == 0x5f
              || byte == 0x2e)
        }
      guard isValid else {
        throw arguments.usageError(
          "\(Self.client.name) must be a name of 1 to 60 ASCII letters, digits, \".\", \"-\" and \"_\" "
            + "that begins with a letter (got \"\(name)\")")
      }
      owners.append(.client(name))
    }
    guard Set(owners).count == owners.count else {
      throw arguments.usageError("A node or client was given twice")
    }
    return owners
  }
}
