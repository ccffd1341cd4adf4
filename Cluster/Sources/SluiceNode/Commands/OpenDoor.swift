import ClusterDoor
import Foundation
import SluiceCluster

/// Runs a door beside a program.
struct OpenDoor: Command {
  private static let socket = Option(
    name: "--socket", value: "PATH",
    help: "The absolute path of the UNIX socket, which programs pass to Cluster(nodes:).")
  private static let mode = Option(
    name: "--mode", value: "OCTAL",
    help: "The permissions of the socket, 600 by default: who may write to it reaches the nodes.")

  let name = "door"
  let summary = "Runs beside a program, and connects it to the nodes with TLS."
  let operands = "ADDRESS…"
  let options = [Option.keys, Self.socket, Self.mode, Option.connections, Option.supervised]
  let details = """
    Each ADDRESS is a node of the cluster. The program passes the path of the socket instead of
    addresses, and learns the other nodes from those that answer. The file of a door that has ended is
    replaced.
    """

  func run(_ arguments: Arguments) throws -> ExitCode {
    let path = try arguments.required(Self.socket)
    guard let address = NodeAddress(path), DoorAddress(path) == nil else {
      throw arguments.usageError(
        "\(Self.socket.name) must be an absolute path of at most 103 bytes (got \"\(path)\")")
    }
    let mode = try mode(arguments)
    let nodes = try arguments.nodeAddresses()
    guard let keys = try arguments.keys() else { throw arguments.missing(.keys) }
    let limits = try arguments.limits()
    let events = Events()
    let signals = events.addSignals()
    defer { withExtendedLifetime(signals) {} }
    if arguments.has(.supervised) { events.addEndOfInput() }
    let door = try ClientDoor(at: path, to: nodes, keys, limits, .standard)
    try door.open(mode: mode)
    defer { door.stop() }
    try? NodeProgram.write(
      "The door \(address) serves \(nodes.map(\.description).joined(separator: ", ")) as "
        + "\(keys.identity.role) \"\(keys.identity.name)\"; the certificate expires on \(keys.expiry) "
        + "(process \(getpid())).")
    while true {
      if case .end = events.next() { return .success }
    }
  }

  private func mode(_ arguments: Arguments) throws -> UInt32 {
    guard let text = arguments.value(of: Self.mode) else { return 0o600 }
    guard let mode = UInt32(text, radix: 8), 0o200...0o777 ~= mode else {
      throw arguments.usageError(
        "\(Self.mode.name) must be an octal number from 200 to 777 (got \"\(text)\")")
    }
    return mode
  }
}
