import LocalNodes
import SluiceCluster

/// A host of a ``TestNetwork``: a network namespace, or the test process with its own one.
struct TestHost: Hashable, Sendable {
  /// The name in figures and failures.
  let name: String
  /// The name of the namespace; nil for that of the test process.
  let namespace: String?
  /// The interface of the host.
  let interface: String
  /// The port of the switch to which the host is connected.
  let port: String
  /// The IPv4 address.
  let ip: String

  /// The command `ip`, in the namespace of the host.
  var ipCommand: String { namespace.map { "ip -n \($0)" } ?? "ip" }

  /// The command that starts a program on the host by replacing itself.
  var launcher: [String] {
    guard let namespace else { return [] }
    return ["PATH=\(Shell.searchPath)", "ip", "netns", "exec", namespace]
  }

  /// The address of a node on the host, which can always use the same port.
  var nodeAddress: NodeAddress {
    get throws {
      guard let address = NodeAddress("\(ip):9001") else {
        throw NodeFailure("\(ip) is not an address")
      }
      return address
    }
  }
}
