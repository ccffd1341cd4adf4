import Foundation
import LocalNodes
import Synchronization

/// A network of hosts, each of which is a network namespace with its own address, cable and kernel state.
///
/// The hosts are connected to a switch, which has a namespace of its own. The test process is a host too. The network
/// vanishes with this object, or with the process if that ends earlier; see ``NetworkKeeper``.
final class TestNetwork: Sendable {
  /// The host of the test process.
  let own: TestHost
  private let keeper: NetworkKeeper
  /// The first three numbers of all addresses.
  private let subnet: String
  private let state: Mutex<State>

  private struct State {
    var hosts: [TestHost] = []
    /// The commands that end the faults which exist.
    var repairs: [String] = []
  }

  /// The reason why this machine cannot have such networks; nil if it can.
  static let obstacle: String? = {
    do {
      let network = try TestNetwork()
      try network.addHost("test")
      network.close()
      return nil
    } catch {
      let reason = "\(error)".prefix { $0 != "\n" }
      return "network namespaces cannot be made: \(reason)"
    }
  }()

  init() throws {
    guard try Shell.outcome(of: "command -v ip").status == 0 else {
      throw NodeFailure("iproute2 is missing, which has the command ip")
    }
    keeper = try NetworkKeeper()
    subnet = try Self.freeSubnet()
    own = TestHost(
      name: "test", namespace: nil, interface: keeper.interface, port: "port1", ip: "\(subnet).1")
    state = Mutex(State(hosts: [own]))
    do {
      try Shell.run(
        """
        ip netns add \(keeper.switchName)
        \(inSwitch) link set lo up
        \(inSwitch) link add switch type bridge
        \(inSwitch) link set switch up
        """)
      try connect(own)
    } catch {
      close()
      throw error
    }
  }

  deinit { close() }

  /// Deletes the network, and ends the processes that are left on its hosts.
  func close() { keeper.end() }

  /// The command `ip`, in the namespace of the switch.
  private var inSwitch: String { "ip -n \(keeper.switchName)" }

  /// Chooses addresses of the networks that RFC 2544 reserves for tests, and that this host does not use yet.
  private static func freeSubnet() throws -> String {
    let used = try Shell.outcome(of: "ip -4 -o address show").output
    for _ in 0..<1000 {
      let subnet = "198.\(Int.random(in: 18...19)).\(Int.random(in: 0...255))"
      if !used.contains(" \(subnet).") { return subnet }
    }
    throw NodeFailure("All addresses of 198.18.0.0/15 are used")
  }

  /// Adds a host.
  @discardableResult
  func addHost(_ name: String) throws -> TestHost {
    let host = state.withLock { state in
      let number = state.hosts.count + 1
      let host = TestHost(
        name: name, namespace: keeper.hostName(number), interface: "net0", port: "port\(number)",
        ip: "\(subnet).\(number)")
      state.hosts.append(host)
      return host
    }
    try Shell.run("ip netns add \(keeper.hostName(state.withLock { $0.hosts.count }))")
    try connect(host)
    return host
  }

  /// Lays a cable between a host and the switch.
  private func connect(_ host: TestHost) throws {
    let place = host.namespace ?? "$$"
    try Shell.run(
      """
      \(inSwitch) link add \(host.port) type veth peer name \(host.interface) netns \(place)
      \(inSwitch) link set \(host.port) master switch
      \(inSwitch) link set \(host.port) up
      \(host.ipCommand) address add \(host.ip)/24 dev \(host.interface)
      \(host.ipCommand) link set \(host.interface) up
      \(host.ipCommand) link set lo up
      """)
  }
}

// Faults.
extension TestNetwork {
  /// Pulls the cable of a host: nothing reaches it, and its system knows that the cable has no carrier.
  func unplug(_ host: TestHost) throws {
    try fail(
      "\(inSwitch) link set \(host.port) down", repair: "\(inSwitch) link set \(host.port) up")
  }

  /// Loses everything that a host sends to another one, without a trace: it goes to an address that no host has.
  func drop(from source: TestHost, to target: TestHost) throws {
    let entry = "\(target.ip) dev \(source.interface)"
    try fail(
      "\(source.ipCommand) neighbor replace \(entry) lladdr 02:00:00:00:ff:ff nud permanent",
      repair: "\(source.ipCommand) neighbor delete \(entry)")
  }

  /// Loses everything that a host sends to all others.
  func mute(_ host: TestHost) throws {
    for other in hosts where other != host { try drop(from: host, to: other) }
  }

  /// Loses everything that all others send to a host.
  func deafen(_ host: TestHost) throws {
    for other in hosts where other != host { try drop(from: other, to: host) }
  }

  /// Loses everything that two hosts send to each other.
  func separate(_ one: TestHost, _ other: TestHost) throws {
    try drop(from: one, to: other)
    try drop(from: other, to: one)
  }

  /// Disturbs everything that arrives at a host.
  func disturb(_ host: TestHost, _ disturbance: NetworkDisturbance) throws {
    let tool = "tc -n \(keeper.switchName)"
    try fail(
      disturbance.commands(tool, host.port).joined(separator: "\n"),
      repair: disturbance.repair(tool, host.port))
  }

  /// Ends all faults.
  func repair() throws {
    let repairs = state.withLock { state in
      defer { state.repairs = [] }
      return state.repairs
    }
    if !repairs.isEmpty { try Shell.run(repairs.joined(separator: "\n")) }
  }

  private var hosts: [TestHost] { state.withLock { $0.hosts } }

  private func fail(_ commands: String, repair: String) throws {
    try Shell.run(commands)
    state.withLock { $0.repairs.append(repair) }
  }
}

// The connections of the hosts.
extension TestNetwork {
  /// A connection in which a system sends again what was not acknowledged.
  struct Retransmission {
    /// How often the pause was made longer.
    let count: Int
    /// The current pause in milliseconds.
    let pause: Double
  }

  /// Returns the connections of a host to another one in which nothing is acknowledged.
  func retransmissions(from source: TestHost, to target: TestHost) throws -> [Retransmission] {
    let command = (source.launcher + ["ss", "-tinH", "dst", target.ip]).joined(separator: " ")
    let (status, output) = try Shell.outcome(of: "env \(command)")
    guard status == 0 else { throw NodeFailure("ss: \(output)") }
    return output.split(separator: "\n").compactMap { line in
      func number(_ name: String) -> Double? {
        line.split(separator: " ").first { $0.hasPrefix(name + ":") }
          .flatMap { Double($0.dropFirst(name.count + 1)) }
      }
      guard let count = number("backoff"), let pause = number("rto") else { return nil }
      return Retransmission(count: Int(count), pause: pause)
    }
  }
}
