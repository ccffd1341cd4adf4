import Foundation
import LocalNodes
import SluiceCluster

/// A program that measures a cluster of three nodes on this machine, and prints a table.
///
/// Its arguments are the names of the groups to measure; without arguments, it measures all. With the argument `tls`, the
/// nodes and the client use TLS.
@main
struct ClusterBenchmarks {
  static func main() async {
    // A write to a closed connection throws an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    do {
      try await run(CommandLine.arguments.dropFirst().flatMap { $0.split(separator: ",") })
    } catch {
      print("The measurement failed: \(error)")
      exit(1)
    }
  }

  private static func run(_ names: [Substring]) async throws {
    let usesTLS = names.contains("tls")
    let wanted = try names.filter { $0 != "tls" }.map { name in
      guard let group = Group(rawValue: String(name)) else {
        let all = Group.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure("there is no group \(name); the groups are \(all)")
      }
      return group
    }
    let groups = wanted.isEmpty ? Group.allCases : wanted
    var table = Table(machine: try Machine.current())
    if groups.contains(where: { $0 != .failover }) {
      try await withNodes(latency: nil, usesTLS) { nodes in
        for group in groups where group != .failover {
          try await group.measure(nodes, &table)
        }
      }
    }
    if groups.contains(.failover) {
      for latency in [nil, 20] {
        try await withNodes(latency: latency, usesTLS) { nodes in
          table.add(try await Failover.measure(nodes, latency: latency))
        }
      }
    }
    print(table)
  }

  /// Runs `body` with three nodes, which end afterwards.
  private static func withNodes(
    latency: Int?, _ usesTLS: Bool, _ body: (_ nodes: LocalCluster) async throws -> Void
  ) async throws {
    let nodes = try LocalCluster(latency: latency, usesTLS: usesTLS)
    defer { nodes.end() }
    nodes.endOnSignals()
    try await nodes.start()
    try await body(nodes)
  }
}

/// A group of measurements.
enum Group: String, CaseIterable {
  case writes, reads, rows, transfer, failover

  func measure(_ nodes: LocalCluster, _ table: inout Table) async throws {
    FileHandle.standardError.write(Data("Measuring \(rawValue)…\n".utf8))
    let cluster = try Cluster(nodes: nodes.clientAddresses, database: "bench")
    switch self {
    case .writes: try await Writes.measure(cluster, &table)
    case .reads: try await Reads.measure(cluster, &table)
    case .rows: try await Rows.measure(cluster, &table)
    case .transfer: table.add(try await Failover.measureTransfer(nodes, cluster))
    case .failover: break
    }
    try await cluster.close()
  }
}

/// The measurement cannot take place.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
