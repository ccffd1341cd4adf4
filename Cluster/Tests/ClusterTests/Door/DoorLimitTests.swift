import ClusterDoor
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct `The limits of a door` {
  private static let greeting = Frame.protocolVersion + Frame.client

  private static func limits(_ change: (inout DoorLimits) -> Void) -> DoorLimits {
    var limits = DoorLimits()
    change(&limits)
    return limits
  }

  /// Beginnings of connections that never become requests.
  static let beginnings: [[UInt8]] = [
    [], [1], Frame.protocolVersion, Frame.protocolVersion + [1, 0, 0, 0],
    Frame.protocolVersion + Frame.client.dropLast(),
    Frame.protocolVersion + Frame.message(8, Frame.number(0) + Frame.text("x")).dropLast(2),
  ]

  @Test(arguments: beginnings)
  func `a connection without a request ends after a time`(beginning: [UInt8]) async throws {
    let limits = Self.limits { $0.entranceTime = .milliseconds(300) }
    for usesTLS in [false, true] {
      try await TestDoor.with(usesTLS: usesTLS, limits) { door in
        let socket =
          usesTLS
          ? try door.connected(through: door.clientDoor(), to: door.address)
          : try #require(TestSocket.connected(to: door.address))
        try #require(socket.send(beginning))
        #expect(socket.receivedUntilEnd(within: .seconds(3)) != nil)
        #expect(door.node.received.isEmpty)
        #expect(await door.hasLogged("in time"))
      }
    }
  }

  @Test func `a connection that sends a byte now and then ends after the same time`() async throws {
    let limits = Self.limits { $0.entranceTime = .milliseconds(400) }
    try await TestDoor.with(usesTLS: false, limits) { door in
      let socket = try #require(TestSocket.connected(to: door.address))
      let start = ContinuousClock.now
      for byte in Self.greeting {
        guard socket.send([byte]), socket.received() != nil else { break }
        try await Task.sleep(for: .milliseconds(40))
      }
      #expect(ContinuousClock.now - start < .seconds(3))
      #expect(door.node.received.isEmpty)
    }
  }

  @Test
  func `a request that is not continued ends the connection, a pause between requests does not`()
    async throws
  {
    let limits = Self.limits { $0.frameTime = .milliseconds(300) }
    try await TestDoor.with(usesTLS: false, limits) { door in
      let idle = try #require(TestSocket.connected(to: door.address))
      try #require(idle.send(Self.greeting))
      let socket = try #require(TestSocket.connected(to: door.address))
      try #require(socket.send(Self.greeting + Frame.client.dropLast()))
      #expect(socket.receivedUntilEnd(within: .seconds(3)) != nil)
      #expect(await door.hasLogged("was not continued"))
      try #require(idle.send(Frame.client))
      #expect(idle.received(40) == Self.greeting + Frame.client)
    }
  }

  @Test
  func `a client that is silent within a transaction ends, one that is silent outside does not`()
    async throws
  {
    func sql(_ text: String) -> [UInt8] { Frame.message(8, Frame.number(0) + Frame.text(text)) }
    let limits = Self.limits { $0.transactionTime = .milliseconds(300) }
    try await TestDoor.with(usesTLS: false, limits) { door in
      let requests = [
        sql("INSERT INTO t VALUES (1); COMMIT"), sql("BEGIN IMMEDIATE") + sql("ROLLBACK"),
        sql("BEGIN IMMEDIATE")
          + sql("INSERT INTO t VALUES ('\(String(repeating: "x", count: 99))'); COMMIT"),
        sql("BEGIN"),
      ]
      let idle = try requests.map { request in
        let socket = try #require(TestSocket.connected(to: door.address))
        try #require(socket.send(Self.greeting + request))
        return socket
      }
      let socket = try #require(TestSocket.connected(to: door.address))
      try #require(
        socket.send(Self.greeting + sql("BEGIN IMMEDIATE") + sql("INSERT INTO t VALUES (1)")))
      #expect(socket.receivedUntilEnd(within: .seconds(3)) != nil)
      #expect(await door.hasLogged("within a transaction"))
      for (socket, request) in zip(idle, requests) {
        try #require(socket.send(Frame.client))
        let expected = Self.greeting + request + Frame.client
        #expect(socket.received(expected.count) == expected)
      }
    }
  }

  @Test func `the oldest connection without a request gives its place to a new one`() async throws {
    let limits = Self.limits { $0.entrances = 8 }
    try await TestDoor.with(limits) { door in
      let idle = (0..<40).compactMap { _ in TestSocket.connected(to: door.address) }
      try #require(idle.count == 40)
      let socket = try door.connected(through: door.clientDoor())
      try #require(socket.send(Self.greeting))
      #expect(socket.received(Self.greeting.count) == Self.greeting)
      #expect(idle[0].receivedUntilEnd(within: .seconds(3)) != nil)
      #expect(idle[39].receivedUntilEnd(within: .milliseconds(100)) == nil)
    }
  }

  @Test func `clients beyond the limit are refused, and nodes are not`() async throws {
    let limits = Self.limits { $0.connections = 3 }
    try await TestDoor.with(limits) { door in
      let (web, node) = (try door.clientDoor(), try door.clientDoor(door.nodeKeys))
      var sockets: [TestSocket] = []
      for _ in 0..<3 {
        let socket = try door.connected(through: web)
        try #require(socket.send(Self.greeting))
        #expect(socket.received(Self.greeting.count) == Self.greeting)
        sockets.append(socket)
      }
      let refused = try door.connected(through: web)
      try #require(refused.send(Self.greeting))
      let answer = try #require(refused.receivedUntilEnd())
      #expect(String(decoding: answer, as: UTF8.self).contains("3 others are connected"))
      #expect(door.log.contains("3 others are connected"))
      let stream =
        Frame.protocolVersion + Frame.message(11, Frame.number(2) + Frame.text("10.0.0.2:9001"))
      for bytes in [Self.greeting, stream] {
        let socket = try door.connected(through: node)
        try #require(socket.send(bytes))
        #expect(socket.received(bytes.count) == bytes)
        sockets.append(socket)
      }
      // A place is free again when its connection has ended.
      sockets[0].shutDown()
      var later: [UInt8] = []
      while later != Self.greeting {
        let next = try door.connected(through: web)
        _ = next.send(Self.greeting)
        later = next.received(Self.greeting.count)
        sockets.append(next)
      }
    }
  }

  @Test func `a client that does not read its answers ends after a time`() async throws {
    let limits = Self.limits { $0.stallTime = .milliseconds(500) }
    try await TestDoor.with(usesTLS: false, limits) { door in
      let socket = try #require(TestSocket.connected(to: door.address))
      let text = Frame.text(String(repeating: "a", count: 1 << 20))
      let request = Frame.message(8, Frame.number(0) + text)
      let sent = await blocking {
        var sent = 0
        guard socket.send(Self.greeting) else { return sent }
        while sent < 100, socket.send(request) { sent += 1 }
        return sent
      }
      #expect(sent < 100)
      #expect(await door.hasLogged("accepts no bytes"))
    }
  }

  @Test func `recorded bytes of a connection with TLS are of no use`() async throws {
    try await TestDoor.with { door in
      let recorder = try RecordingRelay(to: door.address)
      defer { recorder.stop() }
      let keys = door.folder + "/client-web"
      // The certificate names the host, which is the same for the relay.
      let path = try door.clientDoor(keys, to: [recorder.address])
      let socket = try door.connected(through: path)
      try #require(socket.send(Self.greeting))
      #expect(socket.received(Self.greeting.count) == Self.greeting)
      let received = door.node.received
      #expect(received == Self.greeting)
      let bytes = recorder.recorded
      #expect(bytes.count > 500)
      for _ in 0..<3 {
        let replay = try #require(TestSocket.connected(to: door.address))
        _ = replay.send(bytes)
        #expect(replay.receivedUntilEnd() != nil)
      }
      #expect(door.node.received == received)
    }
  }
}
