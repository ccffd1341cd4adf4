/// A network that works badly, as far as the kernel of this machine can imitate it.
enum NetworkDisturbance: String, CaseIterable, Sendable {
  /// One packet in ten is lost.
  case loss = "one packet in ten is lost"
  /// Packets arrive 5 to 15 ms later, and in another order.
  case delay = "packets are delayed"
  /// Packets wait until the network, which is slow, has sent those before.
  case narrowness = "the network is slow"

  /// The commands that begin it at a port of the switch; `tool` is the command `tc` in the switch's namespace.
  func commands(_ tool: String, _ port: String) -> [String] {
    switch self {
    case .loss:
      // A program of the packet filter: loads a random number, and drops the packet if it is large.
      let random = UInt32.max - 0x1000 + 1 + 56
      let limit = UInt32.max / 10 * 9
      let program = "4,32 0 0 \(random),37 0 1 \(limit),6 0 0 2,6 0 0 0"
      return [
        "\(tool) qdisc add dev \(port) clsact",
        "\(tool) filter add dev \(port) egress bpf direct-action bytecode '\(program)'",
      ]
    case .delay:
      return ["\(tool) qdisc add dev \(port) root netem delay 10ms 5ms"]
    case .narrowness:
      return ["\(tool) qdisc add dev \(port) root tbf rate 4mbit burst 8kb latency 60ms"]
    }
  }

  /// The command that ends it.
  func repair(_ tool: String, _ port: String) -> String {
    "\(tool) qdisc delete dev \(port) \(self == .loss ? "clsact" : "root")"
  }

  /// The disturbances that this machine can imitate, and the reasons for the others.
  static let possible: [NetworkDisturbance] = {
    guard TestNetwork.obstacle == nil, let network = try? TestNetwork() else { return [] }
    defer { network.close() }
    return allCases.filter { disturbance in
      do {
        try network.disturb(network.own, disturbance)
        try network.repair()
        return true
      } catch {
        let reason = "\(error)".prefix { $0 != "\n" }
        Figures.note("this machine cannot imitate that \(disturbance.rawValue): \(reason)")
        return false
      }
    }
  }()
}
