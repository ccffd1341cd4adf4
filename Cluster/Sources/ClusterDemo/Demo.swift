import Foundation
import LocalNodes
import Notes
import SluiceCluster
import SluiceData

/// The steps of the demo.
struct Demo: Sendable {
  private let nodes: LocalCluster
  private let start = ContinuousClock.now
  private static let database = "notes"

  init(_ nodes: LocalCluster) { self.nodes = nodes }

  /// Runs all steps, and returns whether everything that was acknowledged is in every copy.
  func run() async throws -> Bool {
    tell(
      """
      Three nodes replicate the notes of Examples/notes, with the same code as for a file. The index
      in memory and the live lists are left out, because a cluster has no observation.

      """)
    try await nodes.start()
    let ports = nodes.addresses.map { $0.description.split(separator: ":")[1] }.joined(
      separator: ", ")
    let first = try await nodes.leader()
    step("Nodes 1, 2 and 3 run at \(nodes.host), ports \(ports); node \(first.id) leads")

    let cluster = try Cluster(nodes: nodes.addresses, database: Self.database)
    try await Schema.migrator().migrate(cluster)
    step("The migrations have run; 4 tasks write notes, and 4 tasks read and search them")

    let ledger = Ledger()
    let load = Load(cluster, ledger)
    let end = Flag()
    let events = try await withThrowingTaskGroup(of: Void.self) { group in
      load.add(to: &group, until: end)
      defer { end.set() }
      let events = try await killAndRestart(ledger)
      end.set()
      try await group.waitForAll()
      return events
    }
    let copy = try await waitForEqualCopies()
    step("Node \(events.killed) has caught up: the three copies are equal")
    let notes = try await cluster.confirmedRead { try $0.allNotes() }
    let overview = try await NotesStore(database: cluster).overview()
    try await cluster.close()
    let report = Report(
      ledger: ledger.entries, notes: notes, overview: overview, copy: copy, events: events)
    tell(report.description)
    return report.isGood
  }

  /// Kills the leader under load, and starts its process again after a while.
  private func killAndRestart(_ ledger: Ledger) async throws -> Events {
    try await Task.sleep(for: .seconds(2))
    let killed = try await nodes.leader()
    let before = ledger.count
    let killTime = ContinuousClock.now
    killed.kill()
    step("\(before) writes are acknowledged; kill -9 of node \(killed.id), which leads")

    while !ledger.hasAcknowledged(since: killTime) {
      guard .now - killTime < .seconds(20) else { throw DemoFailure("No write succeeds any more") }
      try await Task.sleep(for: .milliseconds(2))
    }
    let leader = try await nodes.leader(otherThan: killed)
    step("Node \(leader.id) leads; writes are acknowledged again")

    try await Task.sleep(for: .seconds(1))
    let restartTime = ContinuousClock.now
    try await killed.start()
    step("The process of node \(killed.id) has started again, while the notes are written")
    try await Task.sleep(for: .seconds(1.5))
    return Events(killed: killed.id, kill: killTime, restart: restartTime)
  }

  /// Waits until each node has the same content, and returns it.
  private func waitForEqualCopies() async throws -> Copy {
    let deadline = ContinuousClock.now + .seconds(15)
    while true {
      var failure: any Error = DemoFailure("The copies of the nodes are different")
      do {
        var copies: [Copy] = []
        for node in nodes.nodes {
          copies.append(try Copy(of: try await nodes.copy(Self.database, of: node)))
        }
        if Set(copies.map(\.script)).count == 1 { return copies[0] }
      } catch {
        // A node that catches up may not have the database yet.
        failure = error
      }
      guard .now < deadline else { throw failure }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  private func step(_ text: String) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    tell(String(format: "%5.1f s  ", seconds) + text)
  }

  private func tell(_ text: String) {
    print(text)
    // The lines appear while the demo runs, even in a pipe.
    fflush(nil)
  }
}

/// The events that the report shows.
struct Events: Sendable {
  /// The id of the node that was killed.
  let killed: UInt64
  let kill: ContinuousClock.Instant
  let restart: ContinuousClock.Instant
}

/// The content of a node's copy of the database.
struct Copy: Sendable {
  /// The content as SQL.
  let script: [UInt8]
  /// Whether the copy has no damage.
  let isIntact: Bool

  init(of file: String) throws {
    let connection = try Connection(path: file)
    var script: [UInt8] = []
    try connection.dump { script += $0 }
    self.script = script
    isIntact =
      try connection.first(.column(.string), sql: "PRAGMA integrity_check") == "ok"
  }
}
