import Dispatch
import Sluice
import SluiceCluster
import TestSupport

extension MisuseMatrix {
  /// Members of a cluster whose nodes do not run.
  ///
  /// The closures execute no statement, because nothing else needs a node. `ClusterTests` executes statements.
  static let cluster: [QueueEntry<Cluster>] = [
    .waits("Cluster.init(nodes:database:options:configuration:)", .never) { _ in
      try Cluster(nodes: ["127.0.0.1:1"], database: "main")
    },
    .waits("Cluster.options", .never) { $0.options },
    .waits("Cluster.database", .never) { $0.database },
    .closes("Cluster.syncClose(_:)") { try $0.syncClose() },
    .awaits("Cluster.perform(qos:deadline:_:)") { try await $0.perform(qos: .utility) { _ in } },
    .waits("Cluster.sync(deadline:_:)") { try $0.sync(deadline: .now + .seconds(600)) { _ in } },
    .completes("Cluster.async(group:qos:_:completion:)") { cluster, done in
      cluster.async(group: nil, qos: .utility) { _ in
      } completion: {
        done($0)
      }
    },
    .awaits("Cluster.read(deadline:_:)") {
      try await $0.read(deadline: .now + .seconds(600)) { _ in }
    },
    // The closure of a write may read: another connection does so.
    .waits("Cluster.syncRead(deadline:_:)", .isLater) {
      try $0.syncRead(deadline: .now + .seconds(600)) { _ in }
    },
    .completes("Cluster.asyncRead(group:qos:_:completion:)") { cluster, done in
      cluster.asyncRead(group: nil, qos: .utility) { _ in
      } completion: {
        done($0)
      }
    },
    .awaits("Cluster.confirmedRead(deadline:_:)") { cluster in
      do { try await cluster.confirmedRead { _ in } } catch ClusterError.noLeader {}
    },
    .awaits("Cluster.backup(to:overwriting:deadline:progress:)") { cluster in
      do {
        try await cluster.backup(to: "/nonexistent/copy.db", deadline: soon)
      } catch ClusterError.noLeader {} catch is DeadlineError {}
    },
    .waits("Cluster.syncBackup(to:overwriting:deadline:progress:)") { cluster in
      do {
        try cluster.syncBackup(to: "/nonexistent/copy.db", deadline: soon)
      } catch ClusterError.noLeader {} catch is DeadlineError {}
    },
    .awaits("Cluster.restore(from:deadline:progress:)") { cluster in
      do { try await cluster.restore(from: "/nonexistent/copy.db") } catch SQLiteError.cantOpen {}
    },
    .waits("Cluster.syncRestore(from:deadline:progress:)") { cluster in
      do { try cluster.syncRestore(from: "/nonexistent/copy.db") } catch SQLiteError.cantOpen {}
    },
  ]

  /// A deadline that passes before a leader is found.
  private static var soon: ContinuousClock.Instant { .now + .milliseconds(50) }
}

extension Cluster {
  /// Returns the error that `entry` throws in a situation of the cluster.
  func refusal(_ situation: Situation, _ entry: QueueEntry<Cluster>) async throws -> SQLiteError? {
    if situation == .closed { try await close() }
    let result = await withCheckedContinuation { continuation in
      use(entry, situation) { continuation.resume(returning: $0) }
    }
    do {
      try result.get()
      return nil
    } catch let error as SQLiteError { return error }
  }

  private func use(
    _ entry: QueueEntry<Cluster>, _ situation: Situation,
    _ done: @escaping QueueEntry<Cluster>.Done
  ) {
    do {
      if situation == .nested {
        try sync { _ in entry.use(self, done) }
      } else {
        entry.use(self, done)
      }
    } catch { done(.failure(error)) }
  }
}

extension NumberMatrix {
  /// Members of clusters with numbers.
  static let cluster: [NumberEntry<Connection>] = [
    NumberEntry("Cluster.Options.readerCount") { _, count in
      var options = Cluster.Options()
      options.readerCount = count
      _ = try Cluster(nodes: ["127.0.0.1:1"], database: "main", options: options)
    }
  ]
}
