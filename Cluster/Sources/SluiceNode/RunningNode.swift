import ClusterDoor
import Dispatch
import Foundation
import SluiceCluster

/// A node that runs until the process gets a signal, or until it fails.
struct RunningNode {
  private static let id = Option(
    name: "--id", value: "ID",
    help: "The id of the node: 1 for the first node, a number that the cluster never used for\n"
      + "others. A node keeps its id.")
  private static let address = Option(
    name: "--address", value: "ADDRESS",
    help: "The address that clients and other nodes connect to. A node keeps its address; a\n"
      + "later node can have it after this one was removed.")
  private static let directory = Option(
    name: "--directory", value: "DIR",
    help: "The folder of the node's data, which is created if necessary. The node locks it.")
  private static let listen = Option(
    name: "--listen", value: "ADDRESS",
    help: "The address that the node listens on, if a proxy listens on its address.")
  private static let latency = Option(
    name: "--latency", value: "MS",
    help: "The average time that a message takes between two nodes. The other nodes choose a new\n"
      + "leader if the leader is silent for 15 times as long; by default, for 3 seconds.")
  private static let failureDomain = Option(
    name: "--failure-domain", value: "N",
    help: "A number that nodes share if they can fail together, such as those in one building.")
  private static let snapshot = Option(
    name: "--snapshot", value: "N[,KEPT]",
    help: "Take a snapshot after N entries of the log, 1024 by default, and keep the last KEPT\n"
      + "entries, 8192 by default.")
  private static let insecure = Option(
    name: "--insecure",
    help:
      "Permit addresses other than 127.0.0.0/8 without --keys. Whoever can connect to the node\n"
      + "can then read, change and delete everything: use it only in a network that you trust.")

  /// The options of the commands that run a node.
  static let options = [
    id, address, directory, listen, latency, failureDomain, snapshot, .keys, .connections,
    .silence, insecure, .supervised,
  ]

  private let directory: NodeDirectory
  private let identity: NodeIdentity
  private let settings: Node.Settings
  private let listensOn: NodeAddress?
  private let keys: TLSContext?
  private let limits: DoorLimits
  private let isSupervised: Bool
  private let joinLimit: Duration

  /// The longest time for the choice of another leader before the node stops.
  private static let handOverLimit = Duration.seconds(4)

  /// Locks the directory and checks the arguments.
  ///
  /// `firstState` returns the state of a new node with an id, or throws if the command cannot start it.
  init(_ arguments: Arguments, firstState: (UInt64) throws -> NodeIdentity.State) throws {
    let id = try arguments.id(Self.id)
    let address = try Self.address(Self.address, arguments)
    settings = try Self.settings(arguments)
    listensOn = try Self.address(Self.listen, arguments)
    guard !arguments.has(.keys) || !arguments.has(Self.insecure) else {
      throw arguments.usageError(
        "\(Option.keys.name) and \(Self.insecure.name) exclude each other: with keys, all "
          + "connections use TLS")
    }
    isSupervised = arguments.has(.supervised)
    joinLimit = .seconds(try arguments.number(of: .timeout, in: 1...86_400) ?? 120)
    directory = try NodeDirectory(arguments.required(Self.directory))
    // A node that never started can have got the wrong id or address by mistake.
    if let known = directory.identity, try known.state == .member || !directory.isEmpty {
      guard id ?? known.id == known.id, address ?? known.address == known.address else {
        throw Failure(
          "\(directory.path) belongs to node \(known.id) at \(known.address), and a node keeps its id and "
            + "its address; use another directory")
      }
      guard try known.state != .member || !directory.isEmpty else {
        throw Failure(
          "\(directory.data) is empty, although node \(known.id) is a member of a cluster. Remove "
            + "node \(known.id) from the cluster, and add a node with a new id and a new directory")
      }
      identity = known
      try Self.check(known.address, arguments)
    } else {
      guard let id else { throw arguments.missing(Self.id) }
      guard let address else { throw arguments.missing(Self.address) }
      // The data can be a copy of the data of a recovered node.
      let state = try directory.isEmpty ? firstState(id) : .member
      identity = NodeIdentity(id: id, address: address, state: state)
    }
    keys = try arguments.keys()
    limits = try arguments.limits()
    try checkCertificate(arguments)
  }

  /// Throws if the certificate is that of another node, to which nobody could connect.
  private func checkCertificate(_ arguments: Arguments) throws {
    // The door refuses the certificate of a client.
    guard let keys, keys.identity.role == .node, let folder = arguments.value(of: .keys) else {
      return
    }
    let address = try Self.native(identity.address)
    guard try TLSContext.isCertificate(in: KeyFolder(folder), for: address) else {
      throw arguments.usageError(
        "The certificate in \(folder) is that of \"\(keys.identity.name)\", but this node has the "
          + "address \(address)")
    }
  }

  /// Runs the node until the process should end.
  func run() throws -> ExitCode {
    let events = Events()
    let signals = events.addSignals()
    defer { withExtendedLifetime(signals) {} }
    if isSupervised { events.addEndOfInput() }
    try directory.remember(identity)
    let watch = try SpaceWatch(directory, events)
    defer { watch.stop() }
    let node = try Node(identity, folder: directory.data)
    let door = try NodeDoor(to: NodeDoor.newInnerName(), keys, limits, .standard)
    let listener = try door.bind(at: Self.native(listensOn ?? identity.address))
    try node.start(settings, behind: door)
    door.open(listener)
    defer { door.stop() }
    try tellSecurity()
    if case .joining(let cluster) = identity.state {
      join(cluster, events)
    } else {
      events.add(.joined)
    }
    while true {
      switch events.next() {
      case .joined:
        try becomeMember()
      case .failed(let error):
        end(node)
        throw error
      case .end:
        end(node)
        return .success
      }
    }
  }

  /// Adds the node to the cluster on another thread, so that a signal can end the process meanwhile.
  private func join(_ cluster: [NodeAddress], _ events: Events) {
    let (identity, limit, keys) = (identity, joinLimit, keys)
    let thread = Thread {
      do {
        try PrivateDoor.with(to: cluster, keys) { nodes in
          try ClusterAdministrator(nodes: nodes).add(
            identity.id, at: identity.address, deadline: .now + limit)
        }
        events.add(.joined)
      } catch {
        events.add(.failed(Failure("Node \(identity.id) cannot join the cluster: \(error)")))
      }
    }
    thread.start()
  }

  private func becomeMember() throws {
    try directory.rememberAsMember(identity)
    // A node whose standard output is closed still serves.
    try? NodeProgram.write("Node \(identity.id) serves \(identity.address) (process \(getpid())).")
  }

  /// Stops the node, after another node leads the cluster.
  private func end(_ node: Node) {
    // A request that never ends would delay the stop without a limit. Nothing is lost: each commit is on the disks already.
    let limit = DispatchWorkItem {
      NodeProgram.tell("The node does not stop within 10 seconds; the process ends without it")
      _exit(ExitCode.failure.rawValue)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 10, execute: limit)
    do {
      _ = try PrivateDoor.with(to: [identity.address], keys) { nodes in
        try ClusterAdministrator(nodes: nodes).handOver(
          from: identity.id, deadline: .now + Self.handOverLimit)
      }
    } catch {
      // The other voters elect a leader when they miss this one, if there are others.
    }
    node.stop()
    limit.cancel()
  }
}

extension RunningNode {
  /// Tells who can use the node, and until when its certificate is valid.
  private func tellSecurity() throws {
    if let keys {
      NodeProgram.tell(
        "TLS with the certificate of \"\(keys.identity.name)\", which expires on \(keys.expiry)")
    } else if !Self.isLoopback(identity.address) || !Self.isLoopback(listensOn) {
      NodeProgram.tell(
        "INSECURE: whoever can connect to \(listensOn ?? identity.address) can read, change and delete "
          + "everything, because there are no keys")
    }
  }

  private static func isLoopback(_ address: NodeAddress?) -> Bool {
    address.flatMap { DoorAddress($0.description) }?.isLoopback ?? true
  }

  private static func native(_ address: NodeAddress) throws -> DoorAddress {
    guard let native = DoorAddress(address.description) else {
      throw Failure("\"\(address)\" is not the address of a node")
    }
    return native
  }

  private static func settings(_ arguments: Arguments) throws -> Node.Settings {
    Node.Settings(
      latency: try arguments.number(of: latency, in: 1...3_600_000),
      failureDomain: try arguments.number(of: failureDomain, in: 0...UInt64.max),
      snapshot: try snapshot(arguments))
  }

  private static func snapshot(_ arguments: Arguments) throws -> (UInt32, UInt32)? {
    guard let text = arguments.value(of: snapshot) else { return nil }
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { UInt32($0) }
    guard let first = numbers[0], let last = numbers.count == 1 ? max(8192, first) : numbers[1],
      numbers.count <= 2, first > 0, last >= max(first, 4)
    else {
      throw arguments.usageError(
        "\(snapshot.name) must be one or two integers, of which the second is at least the first and "
          + "at least 4 (got \"\(text)\")")
    }
    return (first, last)
  }

  private static func address(_ option: Option, _ arguments: Arguments) throws -> NodeAddress? {
    guard let text = arguments.value(of: option) else { return nil }
    guard let address = NodeAddress(text), let native = DoorAddress(text) else {
      throw arguments.usageError(
        "\(option.name) must be an IPv4 address and a port, such as 127.0.0.1:9001 (got \"\(text)\")"
      )
    }
    guard option.name == listen.name || !native.host.hasPrefix("0.") else {
      throw arguments.usageError(
        "\(option.name) must be an address that others can connect to (got \"\(text)\"); use "
          + "\(listen.name) to listen on all addresses of the machine")
    }
    try check(address, arguments)
    return address
  }

  /// Throws if an address is reachable from other machines, unless the user permits that.
  private static func check(_ address: NodeAddress, _ arguments: Arguments) throws {
    guard isLoopback(address) || arguments.has(.keys) || arguments.has(insecure) else {
      throw arguments.usageError(
        "\(address) can be reachable from other machines, but a node without keys has no "
          + "authentication and no encryption: whoever can connect can read, change and delete "
          + "everything. Use \(Option.keys.name) with keys that \"sluice-node keys\" makes, 127.0.0.0/8, "
          + "or \(insecure.name) in a network that you trust")
    }
  }
}
