import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct `The door of a client` {
  private static let greeting = Frame.protocolVersion + Frame.client

  /// Returns the text of the failure with which a door answers.
  private func reason(
    _ door: TestDoor, through path: String, to node: NodeAddress? = nil
  ) throws -> String {
    let socket = try door.connected(through: path, to: node)
    _ = socket.send(Self.greeting)
    let answer = try #require(socket.receivedUntilEnd())
    try #require(answer.count > 16 && answer[4] == 0, "no failure")
    return String(decoding: answer[16...].prefix { $0 != 0 }, as: UTF8.self)
  }

  @Test func `a node that does not run is named with the reason`() async throws {
    try await TestDoor.with { door in
      let nobody = try LocalHost().newAddress()
      let path = try door.clientDoor(to: [nobody])
      #expect(try reason(door, through: path) == "\(nobody): Connection refused")
      #expect(try reason(door, through: path, to: nobody) == "\(nobody): Connection refused")
      // The library reports the same.
      let address = try #require(NodeAddress(path))
      let error = await #expect(throws: ClusterAdministrationError.self) {
        try await blocking {
          _ = try ClusterAdministrator(nodes: [address]).leader(deadline: .now + .seconds(1))
        }
      }
      #expect(error?.description.contains("\(nobody): Connection refused") == true)
    }
  }

  @Test func `a node with the certificate of another address is refused`() async throws {
    try await TestDoor.with(named: "127.255.0.1:9001") { door in
      let reason = try reason(door, through: door.clientDoor())
      #expect(reason == "\(door.address): the certificate belongs to another address")
      #expect(door.node.received.isEmpty)
    }
  }

  @Test func `a node of another authority is refused by both sides`() async throws {
    try await TestDoor.with { door in
      let other = door.folder + "/other"
      _ = try KeyRing(other).make([.client("web")], days: 10, authorityDays: 20)
      let keys = other + "/client-web"
      let text = "the certificate is not from the authority of this cluster"
      let foreign = try reason(door, through: door.clientDoor(keys))
      #expect(foreign == "\(door.address): \(text)")
      // With the right authority, but a wrong certificate, the node refuses.
      try FileManager.default.removeItem(atPath: keys + "/authority.pem")
      try FileManager.default.copyItem(
        atPath: door.nodeKeys + "/authority.pem", toPath: keys + "/authority.pem")
      let reason = try reason(door, through: door.clientDoor(keys))
      #expect(reason.contains("does not know the authority"), "\(reason)")
      #expect(await door.hasLogged(text))
    }
  }

  @Test func `a server with an expired certificate, or with that of a client, is refused`()
    async throws
  {
    try await TestDoor.with { door in
      let authority = try Authority(folder: KeyFolder(door.folder + "/authority"))
      let host = LocalHost()
      for (name, reason) in [("late", "has expired"), ("client", "not made for this use")] {
        let address = try host.newAddress()
        let folder = KeyFolder("\(door.folder)/\(name)")
        let native = try #require(DoorAddress(address.description))
        try authority.issue(
          name == "late" ? .node(native) : .client("x"), to: folder,
          validity: name == "late" ? -2 ..< -1 : 0..<2)
        async let server = TestDoor.openssl([
          "s_server", "-accept", address.description, "-cert", folder.certificate, "-key",
          folder.key, "-naccept", "1", "-www",
        ])
        let path = try door.clientDoor(to: [address])
        var text = "Connection refused"
        let deadline = ContinuousClock.now + .seconds(4)
        while text.contains("Connection refused"), ContinuousClock.now < deadline {
          try await Task.sleep(for: .milliseconds(20))
          text = try self.reason(door, through: path)
        }
        #expect(text.contains(reason), "\(text)")
        _ = try await server
      }
    }
  }

  @Test func `addresses that cannot be reached are skipped`() async throws {
    try await TestDoor.with { door in
      let host = LocalHost()
      let nodes = [try host.newAddress(), door.address, try host.newAddress()]
      let path = try door.clientDoor(to: nodes)
      for _ in 0..<6 {
        let socket = try door.connected(through: path)
        try #require(socket.send(Self.greeting))
        #expect(socket.received(Self.greeting.count) == Self.greeting)
      }
      let nobody = try door.clientDoor(to: [nodes[0], nodes[2]])
      let reason = try reason(door, through: nobody)
      #expect(reason.contains("\(nodes[0]): ") && reason.contains("\(nodes[2]): "))
    }
  }

  @Test func `bytes that name no node end the connection`() async throws {
    try await TestDoor.with { door in
      let path = try door.clientDoor()
      for bytes: [UInt8] in [
        Self.greeting, Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x53, 0x4c, 0, 0, 10, 0, 0, 1],
      ] {
        let socket = try #require(TestSocket.connected(toPath: path))
        _ = socket.send(bytes)
        #expect(socket.receivedUntilEnd() == [])
      }
      #expect(door.node.received.isEmpty)
    }
  }

  @Test func `the socket of a door that ended is replaced, that of a living one is not`()
    async throws
  {
    try await TestDoor.with { door in
      let path = try door.clientDoor()
      let keys = try TLSContext(folder: KeyFolder(door.folder + "/client-web"))
      let native = try #require(DoorAddress(door.address.description))
      func open(_ path: String, mode: UInt32 = 0o600) throws {
        let second = try ClientDoor(at: path, to: [native], keys, DoorLimits(), DoorLog { _ in })
        defer { second.stop() }
        try second.open(mode: mode)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
        #expect(permissions == mode)
      }
      let living = #expect(throws: DoorError.self) { try open(path) }
      #expect(living?.description.contains("in use by another door") == true)
      let dead = door.folder + "/dead"
      do { _ = try TestSocket.listening(atPath: dead) }
      try open(dead, mode: 0o660)
      #expect(!FileManager.default.fileExists(atPath: dead))
      let file = door.folder + "/file"
      try Data("text".utf8).write(to: URL(filePath: file))
      let other = #expect(throws: DoorError.self) { try open(file) }
      #expect(other?.description.contains("not a socket") == true)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")
      let long = "/tmp/" + String(repeating: "a", count: 120)
      #expect(throws: DoorError.self) { try open(long) }
    }
  }
}
