import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `The data of a cluster` {
  @Test func `each node has the same data, which SQLite opens`() async throws {
    try await TestCluster.with { cluster in
      try await cluster.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
      for (index, address) in cluster.addresses.enumerated() {
        let file = cluster.path("copy\(index).db")
        // A follower can be a moment behind the leader.
        try await cluster.wait("node \(index + 1) has the rows") {
          try await cluster.rows(at: address) == [1, 2]
        }
        let backup = try await NodeProcess.run(
          "backup", "\(address)", "--database", "main", "--to", file, "--stale")
        #expect(backup.status == 0, "\(backup.output)")
        let connection = try Connection(path: file)
        #expect(try connection.query(.column(.int), sql: "SELECT a FROM t ORDER BY a") == [1, 2])
        let again = try await NodeProcess.run(
          "backup", "\(address)", "--database", "main", "--to", file)
        #expect(again.status == 3)
        #expect(again.output.contains("exists; pass --overwrite"))
      }
    }
  }

  @Test func `rows survive the end of all nodes, a transfer and a removal`() async throws {
    try await TestCluster.with { cluster in
      try await cluster.execute("CREATE TABLE t(a)")
      for (number, id) in cluster.ids.enumerated() {
        try await cluster.transfer(to: id)
        try await cluster.execute("INSERT INTO t VALUES (\(number))")
      }
      for id in cluster.ids { try await cluster.kill(id) }
      for id in cluster.ids { try await cluster.restart(id) }
      let leader = try await cluster.leader()
      try await cluster.remove(leader)
      try await cluster.execute("INSERT INTO t VALUES (3)")
      let address = try await cluster.leaderAddress()
      #expect(try await cluster.rows(at: address) == [0, 1, 2, 3])
    }
  }

  @Test func `a node that missed much catches up by a snapshot`() async throws {
    try await TestCluster.with(options: ["--snapshot", "64,64"]) { cluster in
      try await cluster.execute("CREATE TABLE t(a)")
      let leader = try await cluster.leader()
      let follower = try #require(cluster.ids.first { $0 != leader })
      try await cluster.kill(follower)
      for number in 0..<300 { try await cluster.execute("INSERT INTO t VALUES (\(number))") }
      try await cluster.restart(follower)
      let address = try cluster.node(follower).address
      // If the leader has sent the snapshot before the node ran again, dqlite sends it again after 30 seconds.
      try await cluster.wait("the follower has all rows", within: .seconds(120)) {
        try await cluster.rows(at: address) == Array(0..<300)
      }
    }
  }

  @Test func `a new member gets all rows before it is a voter`() async throws {
    try await TestCluster.with(nodes: 1, options: ["--snapshot", "64,64"]) { cluster in
      try await cluster.execute("CREATE TABLE t(a)")
      for number in 0..<300 { try await cluster.execute("INSERT INTO t VALUES (\(number))") }
      let second = try await cluster.add()
      try await cluster.transfer(to: second)
      try await cluster.execute("INSERT INTO t VALUES (300)")
      let address = try await cluster.leaderAddress()
      #expect(try await cluster.rows(at: address) == Array(0...300))
    }
  }

  @Test func `a recovered node has the rows of its log`() async throws {
    try await TestCluster.with { cluster in
      try await cluster.execute("CREATE TABLE t(a); INSERT INTO t VALUES (7)")
      let leader = try await cluster.leader()
      let directory = try cluster.node(leader).directory
      for id in cluster.ids { try await cluster.kill(id) }
      let recovered = try await NodeProcess.run(
        "recover", "--directory", directory, "--others-are-lost")
      #expect(recovered.status == 0, "\(recovered.output)")
      cluster.forget(cluster.ids.filter { $0 != leader })
      try await cluster.restart(leader)
      let address = try await cluster.leaderAddress()
      try await cluster.execute("INSERT INTO t VALUES (8)")
      #expect(try await cluster.rows(at: address) == [7, 8])
    }
  }
}

extension TestCluster {
  /// The address of the leader.
  func leaderAddress() async throws -> NodeAddress { try node(try await leader()).address }

  /// Executes SQL at the leader.
  func execute(_ sql: String) async throws {
    let leader = try await leaderAddress()
    try await blocking { try RawClient.execute(sql, at: leader) }
  }

  /// Returns the integers of the column `a` of the table `t`, in order, from the copy of a node; none if it has no copy.
  func rows(at address: NodeAddress) async throws -> [Int] {
    let rows = try await withCopy(at: address) { connection -> [Int] in
      let tables = try connection.query(.column(.int), sql: "SELECT count(*) FROM sqlite_schema")
      guard tables == [1] else { return [] }
      return try connection.query(.column(.int), sql: "SELECT a FROM t ORDER BY a")
    }
    return rows ?? []
  }
}
