import ClusterDoor
import Foundation
import SluiceCluster
import Synchronization

extension Option {
  static let keys = Option(
    name: "--keys", value: "DIR",
    help:
      "Use TLS with the files authority.pem, certificate.pem and key.pem in this folder, which\n"
      + "\"sluice-node keys\" makes.")
  static let connections = Option(
    name: "--connections", value: "N",
    help: "The number of clients that can be connected at the same time, 1000 by default.")
  static let silence = Option(
    name: "--silence", value: "SECONDS",
    help: "End the transaction of a client that sends nothing for this time while others wait for\n"
      + "it, 30 by default.")
}

extension Option {
  static let supervised = Option(
    name: "--supervised", help: "End when standard input is closed.")
}

extension Arguments {
  /// The keys of the option `--keys`; nil if it was not given.
  func keys() throws -> TLSContext? {
    guard let folder = value(of: .keys) else { return nil }
    return try TLSContext(folder: KeyFolder(folder))
  }

  /// The limits of a door.
  func limits() throws -> DoorLimits {
    var limits = DoorLimits()
    if let count = try number(of: .connections, in: 1...1_000_000) { limits.connections = count }
    if let seconds = try number(of: .silence, in: 1...86_400) {
      limits.transactionTime = .seconds(seconds)
    }
    let wanted = limits.connections
    limits.fitDescriptors()
    if limits.connections < wanted {
      NodeProgram.tell(
        "The system permits too few open files for \(wanted) clients (ulimit -n), so at most "
          + "\(limits.connections) are accepted")
    }
    return limits
  }

  /// The operands, which must be the addresses of nodes.
  func nodeAddresses() throws -> [DoorAddress] {
    try addresses().map { address in
      guard let node = DoorAddress(address.description) else {
        throw usageError(
          "\"\(address)\" is the path of a door, but the address of a node is needed")
      }
      return node
    }
  }
}

extension DoorLog {
  /// The log of the program, on standard error.
  static let standard = DoorLog { NodeProgram.tell($0) }
}

/// A door through which this process reaches the nodes of a cluster with TLS.
///
/// The client library has no TLS, so the process connects to a socket of its own, in a folder that nobody else can use.
final class PrivateDoor: Sendable {
  let address: NodeAddress
  private let door: ClientDoor
  private let folder: String

  init(to nodes: [DoorAddress], _ keys: TLSContext) throws {
    var name = Array("/tmp/sluice-door-XXXXXX".utf8CString)
    let isCreated = unsafe name.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      return unsafe mkdtemp(base) != nil
    }
    guard isCreated else { throw Failure("No folder can be created in /tmp") }
    folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let address = NodeAddress(folder + "/door") else {
      throw Failure("\(folder) cannot be used")
    }
    self.address = address
    var limits = DoorLimits()
    limits.fitDescriptors()
    // The command reports the reasons itself.
    door = try ClientDoor(at: address.description, to: nodes, keys, limits, DoorLog { _ in })
    try door.open()
  }

  /// Closes the door, and deletes its folder.
  func close() {
    door.stop()
    // The folder is empty, and harmless.
    _ = unsafe rmdir(folder)
  }

  /// Calls `body` with addresses at which this process reaches nodes: with keys, that of a door that exists meanwhile.
  static func with<T>(
    to nodes: [NodeAddress], _ keys: TLSContext?, _ body: ([NodeAddress]) throws -> T
  ) throws -> T {
    guard let keys else { return try body(nodes) }
    let door = try PrivateDoor(to: nodes.compactMap { DoorAddress($0.description) }, keys)
    defer { door.close() }
    return try body([door.address])
  }

  /// The door of a command, which exists until ``closeAll()``.
  private static let doors = Mutex<[PrivateDoor]>([])

  /// Opens a door for the rest of the command, and returns its address.
  static func open(to nodes: [DoorAddress], _ keys: TLSContext) throws -> NodeAddress {
    let door = try PrivateDoor(to: nodes, keys)
    doors.withLock { $0.append(door) }
    return door.address
  }

  static func closeAll() {
    for door in doors.withLock({ $0 }) { door.close() }
  }
}
