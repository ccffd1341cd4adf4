import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Testing

@Suite(.serialized, .timeLimit(.minutes(2))) struct `The door of a node` {
  private static let greeting = Frame.protocolVersion + Frame.client

  @Test(arguments: [true, false])
  func `bytes pass in both directions, also more than any buffer holds`(
    usesTLS: Bool
  ) async throws {
    try await TestDoor.with(usesTLS: usesTLS) { door in
      let socket =
        usesTLS
        ? try door.connected(through: door.clientDoor())
        : try #require(TestSocket.connected(to: door.address))
      let text = String(repeating: "a", count: 20_000_000)
      let bytes = Self.greeting + Frame.message(8, Frame.number(0) + Frame.text(text))
      Thread { _ = socket.send(bytes) }.start()
      // The client reads nothing for a moment, so all buffers are full.
      try await Task.sleep(for: .milliseconds(300))
      let answer = socket.received(bytes.count, within: .seconds(60))
      #expect(answer == bytes)
      #expect(door.node.received == bytes)
    }
  }

  @Test(arguments: [true, false])
  func `an invalid request does not reach the node`(usesTLS: Bool) async throws {
    try await TestDoor.with(usesTLS: usesTLS) { door in
      let path = try door.clientDoor(door.nodeKeys)
      func connect() throws -> TestSocket {
        usesTLS
          ? try door.connected(through: path)
          : try #require(TestSocket.connected(to: door.address))
      }
      for (name, bytes) in Frame.invalid {
        // A request that is too short is only incomplete.
        let end = Frame.number(2 << 32 | 1)
        for begin in [Frame.protocolVersion, Self.greeting] {
          let socket = try connect()
          try #require(socket.send(begin + bytes + end), "\(name)")
          #expect(socket.receivedUntilEnd() != nil, "\(name)")
        }
      }
      let received = door.node.received
      #expect(received.isEmpty)
      #expect(await door.hasLogged("has no body"))
      #expect(await door.hasLogged("unknown type"))
    }
  }

  @Test func `a client's certificate does not permit the requests of nodes`() async throws {
    try await TestDoor.with { door in
      let path = try door.clientDoor()
      for (type, body, isForClients) in Frame.valid where !isForClients {
        let socket = try door.connected(through: path)
        try #require(socket.send(Self.greeting + Frame.message(type, body)))
        let answer = try #require(socket.receivedUntilEnd())
        #expect(String(decoding: answer, as: UTF8.self).contains("only for nodes"))
      }
      #expect(door.node.received.isEmpty)
      let socket = try door.connected(through: door.clientDoor(door.nodeKeys))
      let connect = Self.greeting + Frame.message(11, Frame.number(2) + Frame.text("10.0.0.2:9001"))
      let stream = connect + [UInt8](repeating: 0, count: 64)
      try #require(socket.send(stream))
      #expect(socket.received(stream.count) == stream)
    }
  }

  @Test func `a client without TLS learns that it needs TLS`() async throws {
    try await TestDoor.with { door in
      let socket = try #require(TestSocket.connected(to: door.address))
      try #require(socket.send(Self.greeting))
      let answer = try #require(socket.receivedUntilEnd())
      #expect(String(decoding: answer, as: UTF8.self).contains("The node requires TLS"))
      let error = await #expect(throws: ClusterAdministrationError.self) {
        try await blocking { [address = door.address] in
          _ = try ClusterAdministrator(nodes: [address]).leader(deadline: .now + .seconds(1))
        }
      }
      #expect(error?.description.contains("requires TLS") == true)
      #expect(await door.hasLogged("it does not use TLS"))
      #expect(door.node.received.isEmpty)
    }
  }

  @Test func `certificates of others, expired ones and those without a role are refused`()
    async throws
  {
    try await TestDoor.with { door in
      let authority = try Authority(folder: KeyFolder(door.folder + "/authority"))
      let expired = KeyFolder(door.folder + "/expired")
      try authority.issue(.client("late"), to: expired, validity: -2 ..< -1)
      let early = KeyFolder(door.folder + "/early")
      try authority.issue(.client("early"), to: early, validity: 1..<2)
      let foreign = door.folder + "/foreign"
      _ = try KeyRing(foreign).make([.client("web")], days: 10, authorityDays: 20)
      let cases: [(keys: KeyFolder?, reason: String)] = [
        (nil, "no certificate"), (expired, "has expired"), (early, "not valid yet"),
        (KeyFolder(foreign + "/client-web"), "not from the authority"),
        (KeyFolder(door.folder + "/authority"), "not made for this use"),
      ]
      for (keys, reason) in cases {
        let certificate = keys.map { ["-cert", $0.certificate, "-key", $0.key] } ?? []
        _ = try await TestDoor.openssl(
          ["s_client", "-quiet", "-connect", door.address.description] + certificate,
          input: Self.greeting)
        #expect(await door.hasLogged(reason), "\(reason): \(door.log)")
      }
      #expect(door.node.received.isEmpty)
    }
  }

  @Test func `only TLS 1_3 is spoken, without tickets that resume a session`() async throws {
    try await TestDoor.with { door in
      let address = door.address.description
      for version in ["-tls1", "-tls1_1", "-tls1_2"] {
        let output = try await TestDoor.openssl(["s_client", "-connect", address, version])
        #expect(!output.contains("Server certificate\n"), "\(output)")
      }
      let web = KeyFolder(door.folder + "/client-web")
      let output = try await TestDoor.openssl(
        [
          "s_client", "-connect", address, "-CAfile", web.authority, "-cert", web.certificate,
          "-key", web.key, "-verify_return_error",
        ])
      #expect(output.contains("TLSv1.3"))
      #expect(output.contains("Verify return code: 0 (ok)"))
      #expect(!output.contains("Session Ticket"))
    }
  }
}
