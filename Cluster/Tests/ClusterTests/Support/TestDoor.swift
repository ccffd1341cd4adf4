import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Synchronization
import Testing

/// A door in front of a stand-in for a node, and the keys of its cluster.
final class TestDoor: Sendable {
  let folder: String
  let address: NodeAddress
  let node: EchoNode
  private let lines = Mutex<[String]>([])
  private let door: NodeDoor
  private let clientDoors = Mutex<[ClientDoor]>([])

  /// Creates a door, with the address `named` in the node's certificate; nil for its own.
  private init(
    _ folder: String, usesTLS: Bool, named: String?, _ limits: DoorLimits
  ) throws {
    self.folder = folder
    address = try LocalHost().newAddress()
    let native = try #require(DoorAddress(address.description))
    let owner = try #require(DoorAddress(named ?? address.description))
    _ = try KeyRing(folder).make(
      [.node(owner), .client("web")], days: 10, authorityDays: 20)
    node = try EchoNode()
    let keys = try TLSContext(folder: KeyFolder("\(folder)/\(Authority.Owner.node(owner).folder)"))
    let box = Box()
    door = try NodeDoor(
      to: node.name, usesTLS ? keys : nil, limits,
      DoorLog { line in box.door.withLock { $0 }?.lines.withLock { $0.append(line) } })
    door.open(try door.bind(at: native))
    box.door.withLock { $0 = self }
  }

  private final class Box: Sendable {
    let door = Mutex<TestDoor?>(nil)
  }

  /// Opens a door, calls `body`, and closes the door.
  static func with<T>(
    usesTLS: Bool = true, named: String? = nil, _ limits: DoorLimits = DoorLimits(),
    _ body: (TestDoor) async throws -> T
  ) async throws -> T {
    try await TestKeys.with { folder in
      let door = try TestDoor(folder, usesTLS: usesTLS, named: named, limits)
      defer {
        door.door.stop()
        door.node.stop()
        for client in door.clientDoors.withLock({ $0 }) { client.stop() }
      }
      return try await body(door)
    }
  }

  /// Everything that the door has logged.
  var log: String { lines.withLock { $0.joined(separator: "\n") } }

  /// Waits until the door has logged text, and returns whether it does.
  func hasLogged(_ text: String) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(5)
    while !log.contains(text), ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    return log.contains(text)
  }

  /// The folder of the node's keys.
  var nodeKeys: String { "\(folder)/node-" + address.description.replacing(":", with: "-") }

  /// Opens a client's door, and returns its path.
  func clientDoor(
    _ keys: String? = nil, to addresses: [NodeAddress]? = nil, limits: DoorLimits = DoorLimits()
  ) throws -> String {
    let path = FileManager.default.temporaryDirectory.path + "/door-\(UUID())"
    let door = try ClientDoor(
      at: path, to: (addresses ?? [address]).compactMap { DoorAddress($0.description) },
      TLSContext(folder: KeyFolder(keys ?? folder + "/client-web")), limits, DoorLog { _ in })
    try door.open()
    clientDoors.withLock { $0.append(door) }
    return path
  }

  /// Connects to the node through a client's door.
  func connected(through path: String, to node: NodeAddress? = nil) throws -> TestSocket {
    let socket = try #require(TestSocket.connected(toPath: path))
    try #require(socket.send(Self.greeting(node)))
    return socket
  }

  /// The word with which a client names a node to a door.
  static func greeting(_ node: NodeAddress?) -> [UInt8] {
    let address = node.flatMap { DoorAddress($0.description) }
    let port = address?.port ?? 0
    return [0x53, 0x4c, UInt8(port >> 8), UInt8(port & 255)] + (address?.bytes ?? [0, 0, 0, 0])
  }

  /// Runs the tool `openssl`, and returns what it prints.
  static func openssl(_ arguments: [String], input: [UInt8] = []) async throws -> String {
    try await blocking {
      let process = Process()
      let (standardInput, output) = (Pipe(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["timeout", "5", "openssl"] + arguments
      process.standardInput = standardInput
      process.standardOutput = output
      process.standardError = output
      try process.run()
      try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
      try standardInput.fileHandleForWriting.close()
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self)
    }
  }
}
