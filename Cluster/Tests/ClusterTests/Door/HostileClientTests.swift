import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Testing

/// Clients that send malformed bytes to a node while a program works.
///
/// A node that ends without a request of the test fails each test.
@Suite(.serialized, .timeLimit(.minutes(4))) struct `Hostile clients of a node` {
  private static let greeting = Frame.protocolVersion + Frame.client

  @Test func `the 16 bytes that end a node of dqlite do not reach it`() async throws {
    for usesTLS in [false, true] {
      try await TestCluster.with(nodes: 1, usesTLS: usesTLS) { nodes in
        for _ in 0..<20 {
          let socket = try #require(TestSocket.connected(to: nodes.addresses[0]))
          try #require(socket.send(Frame.fatal))
          #expect(socket.receivedUntilEnd() != nil)
        }
        if usesTLS {
          let owners = [try nodes.secrets().client, try nodes.secrets().node(nodes.addresses[0])]
          for (index, keys) in owners.enumerated() {
            let path = nodes.path("door\(index)")
            let door = try await LocalDoor(to: nodes.addresses, keys: keys, at: path)
            let socket = try #require(TestSocket.connected(toPath: path))
            try #require(socket.send(TestDoor.greeting(nil) + Frame.fatal))
            #expect(socket.receivedUntilEnd() != nil)
            door.end()
          }
        }
        try await nodes.leader()
      }
    }
  }

  @Test func `a node survives every malformed request, and random changes of requests`()
    async throws
  {
    try await TestCluster.with(nodes: 1) { nodes in
      let address = nodes.addresses[0]
      for (name, bytes) in Frame.invalid {
        for begin in [Frame.protocolVersion, Self.greeting] {
          let socket = try #require(TestSocket.connected(to: address), "\(name)")
          _ = socket.send(begin + bytes)
        }
      }
      let open = Frame.message(3, Frame.text("main") + Frame.number(0) + Frame.text(""))
      // Requests for members are valid for a node without keys, and would change the cluster.
      let harmless = Frame.valid.filter { $0.isForClients }
      for _ in 0..<rounds(600, long: 20_000) {
        var bytes = Self.greeting + open
        for _ in 0..<3 {
          let (type, body, _) = try #require(harmless.randomElement())
          var message = Frame.message(type, body)
          if Bool.random() {
            for _ in 0..<Int.random(in: 1...3) {
              message[Int.random(in: 8..<message.count)] = UInt8.random(in: 0...255)
            }
          }
          bytes += message
        }
        let socket = try #require(TestSocket.connected(to: address))
        _ = socket.send(Array(bytes.prefix(Int.random(in: bytes.count / 2...bytes.count))))
        _ = socket.received()
      }
      let cluster = try Cluster(nodes: [address], database: "main", options: .underLoad)
      try await cluster.write { connection in
        try connection.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
      }
      let rows = try await cluster.read { try $0.query(.column(.int), sql: "SELECT a FROM t") }
      #expect(rows == [1])
      try await cluster.close()
    }
  }

  @Test func `scans, garbage and half requests leave an honest client alone`() async throws {
    try await TestCluster.with(nodes: 1, usesTLS: true) { nodes in
      let address = nodes.addresses[0]
      let cluster = try Cluster(
        nodes: nodes.clientAddresses, database: "main", options: .underLoad)
      try await cluster.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      for version in ["-tls1_2", "-tls1_3"] {
        _ = try await TestDoor.openssl(["s_client", "-connect", address.description, version])
      }
      let flood = Task.detached {
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
          guard let socket = TestSocket.connected(to: address) else { continue }
          let count = Int.random(in: 0...400)
          var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
          // The beginning of a handshake.
          if Bool.random() { bytes = [0x16, 3, 1, 1, 0, 1] + bytes }
          _ = socket.send(bytes)
          if Bool.random() { socket.endByReset() }
        }
      }
      for number in 0..<200 {
        try await cluster.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
      }
      flood.cancel()
      await flood.value
      try await cluster.close()
    }
  }

  @Test func `thousands of idle connections leave an honest client alone`() async throws {
    var limits = DoorLimits()
    limits.fitDescriptors()
    let count = min(10_000, DoorLimits.permittedDescriptors - 1_000)
    try await TestCluster.with(nodes: 1, usesTLS: true) { nodes in
      let address = nodes.addresses[0]
      let cluster = try Cluster(
        nodes: nodes.clientAddresses, database: "main", options: .underLoad)
      try await cluster.write { try $0.execute(sql: "CREATE TABLE t(a)") }
      let quiet = try await latency(of: cluster)
      let flood = Task.detached {
        var sockets: [TestSocket] = []
        for number in 0..<count {
          guard let socket = TestSocket.connected(to: address) else { continue }
          if number % 3 == 1 { _ = socket.send([0x16, 3, 1]) }
          if number % 3 == 2 { _ = socket.send(Frame.protocolVersion) }
          sockets.append(socket)
        }
        return sockets
      }
      let during = try await latency(of: cluster)
      let sockets = await flood.value
      let after = try await latency(of: cluster)
      // New connections of honest clients come through, too.
      let status = try await NodeProcess.run(
        "status", "--keys", nodes.secrets().client, address.description)
      #expect(status.status == 0, "\(status.output)")
      print(
        "\(sockets.count) idle connections: 99 % of the writes within \(quiet) ms before, "
          + "\(during) ms while they come, \(after) ms while they exist")
      #expect(sockets.count > 1_500)
      try await cluster.close()
    }
  }

  /// Returns the milliseconds within which 99 of 100 writes end.
  private func latency(of cluster: Cluster) async throws -> Double {
    var times: [Double] = []
    for number in 0..<300 {
      let start = ContinuousClock.now
      try await cluster.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return (times.sorted()[times.count * 99 / 100] * 10).rounded() / 10
  }
}
