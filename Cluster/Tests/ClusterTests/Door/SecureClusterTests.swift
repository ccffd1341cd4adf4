import Foundation
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `A cluster with TLS` {
  @Test func `a program works through its door while leaders end and nodes join`() async throws {
    try await TestCluster.with(usesTLS: true) { nodes in
      let door = try await LocalDoor(
        to: nodes.addresses, keys: nodes.secrets().client, at: nodes.path("web"))
      defer { door.end() }
      let cluster = try Cluster(nodes: [door.address], database: "main", options: .underLoad)
      try await cluster.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      for number in 0..<3 {
        try await cluster.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
        let leader = try await nodes.leader()
        try await nodes.kill(leader)
        try await cluster.write { try $0.execute("INSERT INTO t VALUES (\(number + 10))") }
        try await nodes.restart(leader)
        try await nodes.waitUntilComplete()
      }
      let sum = try await cluster.confirmedRead { connection in
        try connection.first(.column(.int), sql: "SELECT sum(a) FROM t")
      }
      #expect(sum == 36)
      // The new node is not in the list of the door.
      let fourth = try await nodes.add()
      try await nodes.transfer(to: fourth)
      try await cluster.write { try $0.execute("INSERT INTO t VALUES (100)") }
      try await nodes.remove(1)
      try await cluster.write { try $0.execute("INSERT INTO t VALUES (1000)") }
      let rows = try await cluster.read { connection in
        try connection.first(.column(.int), sql: "SELECT sum(a) FROM t")
      }
      #expect(rows == 1136)
      try await cluster.close()
      #expect(nodes.output.contains("The client \"web\" from 127.0.0.1 is connected"))
    }
  }

  @Test func `the commands reach the nodes with keys, and a client cannot change members`()
    async throws
  {
    try await TestCluster.with(usesTLS: true) { nodes in
      let cluster = try Cluster(
        nodes: nodes.clientAddresses, database: "main", options: .underLoad)
      try await cluster.write { connection in
        try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (7)")
      }
      try await cluster.close()
      let addresses = nodes.addresses.map(\.description)
      let (client, node) = (
        try nodes.secrets().client, try nodes.secrets().node(nodes.addresses[0])
      )
      let status = try await NodeProcess.run(["status", "--keys", client] + addresses)
      #expect(status.status == 0, "\(status.output)")
      for address in addresses { #expect(status.output.contains(address)) }
      #expect(status.output.contains("leader"))
      let leader = try await nodes.leader()
      let next = try #require(nodes.ids.first { $0 != leader })
      let refused = try await NodeProcess.run(
        ["transfer", "--keys", client, "--to", "\(next)", "--timeout", "2"] + addresses)
      #expect(refused.status == 3)
      #expect(refused.output.contains("only for nodes"), "\(refused.output)")
      #expect(try await nodes.leader() == leader)
      let transfer = try await NodeProcess.run(
        ["transfer", "--keys", node, "--to", "\(next)"] + addresses)
      #expect(transfer.status == 0, "\(transfer.output)")
      for (options, name) in [([], "a"), (["--stale"], "b")] {
        let file = nodes.path(name)
        let backup = try await NodeProcess.run(
          ["backup", "--keys", client, "--database", "main", "--to", file] + options + addresses)
        #expect(backup.status == 0, "\(backup.output)")
        let copy = try Connection(path: file, readOnly: true)
        #expect(try copy.query(.column(.int), sql: "SELECT a FROM t") == [7])
      }
      let restore = try await NodeProcess.run(
        ["restore", "--keys", client, "--database", "copy", "--from", nodes.path("a")] + addresses)
      #expect(restore.status == 0, "\(restore.output)")
      let remove = try await NodeProcess.run(
        ["remove", "--keys", node, "--id", "\(leader)"] + addresses)
      #expect(remove.status == 0, "\(remove.output)")
      try await nodes.kill(leader)
      nodes.forget([leader])
    }
  }

  @Test func `a leader with TLS hands over when it is asked to end`() async throws {
    try await TestCluster.with(latency: 300, usesTLS: true) { nodes in
      let first = try await nodes.leader()
      #expect(try await nodes.terminate(first) == 0)
      let administrator = nodes.administrator
      let states = try await blocking { try administrator.status() }
      #expect(states.contains { $0.isLeader })
      #expect(states.count == 3)
    }
  }

  @Test func `a node without keys that others can reach says so at each start`() async throws {
    try await TestKeys.with { folder in
      let host = LocalHost()
      let (address, other) = (try host.newAddress(), try host.newAddress())
      let port = try #require(other.description.split(separator: ":").last)
      let node = LocalNode(
        id: 1, address: address, directory: folder,
        options: ["--listen", "0.0.0.0:\(port)", "--insecure"])
      defer { try? FileManager.default.removeItem(atPath: folder + ".log") }
      for count in 1...2 {
        try await node.start()
        #expect(node.output.split(separator: "INSECURE: whoever can connect").count == count + 1)
        node.end()
      }
    }
  }

  @Test func `a node without keys cannot join, and one of another authority neither`()
    async throws
  {
    try await TestCluster.with(nodes: 1, usesTLS: true) { nodes in
      let first = nodes.addresses[0].description
      let address = try nodes.newAddress()
      let plain = try await NodeProcess.run(
        "join", "--id", "9", "--address", "\(address)", "--directory", nodes.path("plain"),
        "--timeout", "2", first)
      #expect(plain.status == 3)
      #expect(plain.output.contains("requires TLS"), "\(plain.output)")
      let other = LocalKeys(folder: nodes.path("other"))
      try other.make(for: [address])
      let foreign = try await NodeProcess.run(
        "join", "--id", "9", "--address", "\(address)", "--directory", nodes.path("foreign"),
        "--timeout", "2", "--keys", other.node(address), first)
      #expect(foreign.status == 3)
      #expect(foreign.output.contains("not from the authority"), "\(foreign.output)")
    }
  }
}
