import Foundation
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct `The program sluice-node` {
  @Test func `a directory that a node uses is refused with the id of its process`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      let node = try cluster.node(1)
      let process = try #require(node.process?.id)
      let second = try await NodeProcess.run("start", "--directory", node.directory)
      #expect(second.status == 3)
      #expect(second.output.contains("in use by the process \(process)"))
      try await cluster.kill(1)
      try await cluster.restart(1)
    }
  }

  @Test func `a directory remembers its node, and refuses another id and another address`()
    async throws
  {
    try await TestCluster.with(nodes: 1) { cluster in
      let node = try cluster.node(1)
      #expect(try await cluster.terminate(1) == 0)
      let otherID = try await NodeProcess.run("start", "--directory", node.directory, "--id", "2")
      #expect(otherID.status == 3)
      #expect(otherID.output.contains("belongs to node 1 at \(node.address)"))
      let address = try cluster.newAddress()
      let otherAddress = try await NodeProcess.run(
        "start", "--directory", node.directory, "--address", "\(address)")
      #expect(otherAddress.status == 3)
      #expect(otherAddress.output.contains("belongs to node 1 at \(node.address)"))
    }
  }

  @Test func `a member whose data was deleted does not begin a second cluster`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      try await cluster.kill(1)
      let folder = try cluster.node(1).directory
      let data = folder + "/data"
      for file in try FileManager.default.contentsOfDirectory(atPath: data) {
        try FileManager.default.removeItem(atPath: data + "/" + file)
      }
      let start = try await NodeProcess.run("start", "--directory", folder)
      #expect(start.status == 3)
      #expect(start.output.contains("is empty, although node 1 is a member"))
    }
  }

  @Test(arguments: ["0.0.0.0:9001", "10.0.0.1:9001", "128.0.0.1:9001"])
  func `an address that other machines could reach is refused`(address: String) async throws {
    let start = try await NodeProcess.run(
      "start", "--id", "1", "--address", address, "--directory", "/nonexistent")
    #expect(start.status == 2)
    #expect(start.output.contains("must be an address that") || start.output.contains("reachable"))
    let listen = try await NodeProcess.run(
      "start", "--id", "1", "--address", "127.0.0.1:9001", "--listen", address, "--directory",
      "/nonexistent")
    #expect(listen.status == 2)
    #expect(listen.output.contains("no authentication"))
  }

  @Test(arguments: [
    [], ["begin"], ["start"], ["start", "--id", "0", "--directory", "/nonexistent"],
    ["start", "--address", "localhost:9001", "--directory", "/nonexistent"],
    ["start", "--address", "127.0.0.1", "--directory", "/nonexistent"],
    ["start", "--address", "127.0.0.1:0", "--directory", "/nonexistent"],
    ["start", "--snapshot", "8,4", "--directory", "/nonexistent"],
    ["start", "--snapshot", "1,2,3", "--directory", "/nonexistent"],
    ["start", "--latency", "0", "--directory", "/nonexistent"],
    ["start", "--directory"], ["start", "127.0.0.1:9001"], ["start", "--insecure=yes"],
    ["join"], ["join", "host"], ["status"], ["transfer", "127.0.0.1:9001"],
    ["remove", "127.0.0.1:9001", "--id", "two"], ["recover"],
    ["backup", "127.0.0.1:9001", "--database", "main"],
    ["backup", "127.0.0.1:9001", "--to", "/nonexistent/copy.db"],
    ["restore", "127.0.0.1:9001", "--database", "main"], ["restore", "--from", "/nonexistent"],
    ["keys"], ["keys", "--directory", "/nonexistent", "--node", "localhost:1"],
    ["door", "127.0.0.1:9001"], ["door", "--socket", "/tmp/door", "127.0.0.1:9001"],
    ["door", "--socket", "door", "--keys", "/nonexistent", "127.0.0.1:9001"],
    ["door", "--socket", "/tmp/door", "--mode", "9", "--keys", "/nonexistent", "127.0.0.1:9001"],
    ["door", "--socket", "/tmp/door", "--keys", "/nonexistent", "/tmp/other"],
    ["join", "--id", "2", "--address", "127.0.0.1:9002", "--directory", "/nonexistent", "/door"],
    ["start", "--id", "1", "--address", "/door", "--directory", "/nonexistent"],
    ["start", "--keys", "/nonexistent", "--insecure", "--directory", "/nonexistent"],
    ["start", "--connections", "0", "--directory", "/nonexistent"],
  ])
  func `wrong arguments have the exit status 2, and change nothing`(words: [String]) async throws {
    let result = try await NodeProcess.run(words)
    #expect(result.status == 2, "\(result.output)")
    #expect(result.output.contains("Try: sluice-node"))
  }

  @Test(arguments: [
    "keys", "start", "join", "door", "status", "transfer", "remove", "backup", "restore", "recover",
  ])
  func `each command has help`(command: String) async throws {
    let help = try await NodeProcess.run(command, "--help")
    #expect(help.status == 0)
    #expect(help.output.contains("Usage: sluice-node \(command)"))
    #expect(try await NodeProcess.run("--help").output.contains("  \(command) "))
  }

  @Test func `a node ends when the process that supervises it ends`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      #expect(try cluster.node(1).closeInput() == 0)
      try await cluster.restart(1)
    }
  }

  @Test func `a client that leaves while the node answers does not end the node`() async throws {
    try await TestCluster.with(nodes: 1) { cluster in
      let address = try cluster.node(1).address
      for _ in 0..<20 { try RawClient.askAndLeave(address) }
      try await cluster.leader()
    }
  }

  @Test func `the status lists the members, and tells which do not answer`() async throws {
    try await TestCluster.with(nodes: 2) { cluster in
      let address = cluster.addresses[0].description
      let complete = try await NodeProcess.run("status", address)
      #expect(complete.status == 0)
      #expect(complete.output.contains("leader") && complete.output.contains("follows"))
      try await cluster.kill(2)
      let incomplete = try await NodeProcess.run("status", address)
      #expect(incomplete.status == 1)
      #expect(incomplete.output.contains("does not answer"))
      try await cluster.kill(1)
      let nothing = try await NodeProcess.run("status", address)
      #expect(nothing.status == 3)
      #expect(nothing.output.contains("No node answers"))
    }
  }

  @Test func `a node that recovers alone leads, and accepts new members`() async throws {
    try await TestCluster.with(nodes: 3) { cluster in
      let running = try cluster.node(2)
      let refused = try await NodeProcess.run(
        "recover", "--directory", running.directory, "--others-are-lost")
      #expect(refused.status == 3)
      #expect(refused.output.contains("in use by the process"))
      for id in cluster.ids { try await cluster.kill(id) }
      let shown = try await NodeProcess.run("recover", "--directory", running.directory)
      #expect(shown.status == 0)
      #expect(shown.output.contains("last entry"))
      let recovered = try await NodeProcess.run(
        "recover", "--directory", running.directory, "--others-are-lost")
      #expect(recovered.status == 0, "\(recovered.output)")
      try await cluster.restart(2)
      #expect(try await cluster.leader() == 2)
      cluster.forget([1, 3])
      let id = try await cluster.add()
      #expect(cluster.ids == [2, id])
      try await cluster.waitUntilComplete()
    }
  }
}
