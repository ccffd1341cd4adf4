import Foundation
import SluiceCluster
import Synchronization

/// A relay in front of a node, which can hold back everything that one of the senders sends.
///
/// Each node sends to another one over its own connection, so a relay cuts one direction between two nodes. Bytes that
/// are held back arrive later, as they do after a failure of a network.
final class TestRelay: Sendable {
  /// A sender of bytes to the node.
  enum Source: Hashable, Sendable {
    case node(UInt64)
    case clients
  }

  let address: NodeAddress
  private let target: NodeAddress
  private let blocked = Mutex<Set<Source>>([])
  private let isClosed = Atomic(false)

  /// Accepts connections for the node that listens at `target`.
  init(at address: NodeAddress, to target: NodeAddress) throws {
    self.address = address
    self.target = target
    let listener = try TestSocket.bound(to: address.host, port: address.port)
    listener.startListening()
    Thread { [self] in
      while !isClosed.load(ordering: .relaxed) {
        guard let client = listener.accepted() else { continue }
        Thread { self.serve(client) }.start()
      }
    }.start()
  }

  /// Holds back the bytes of a source until ``restore(_:)``.
  func block(_ source: Source) { _ = blocked.withLock { $0.insert(source) } }

  /// Sends everything that was held back.
  func restore(_ source: Source) { _ = blocked.withLock { $0.remove(source) } }

  /// Ends all connections and threads.
  func close() { isClosed.store(true, ordering: .relaxed) }
}

extension TestRelay {
  private func serve(_ client: TestSocket) {
    defer { client.shutDown() }
    var first: [UInt8] = []
    // The version of the protocol, the head of a message, and its first word.
    while first.count < 24 {
      guard !isClosed.load(ordering: .relaxed), let bytes = client.received() else { return }
      first += bytes
    }
    // A node begins with the request 11 and its id.
    let id = first[16..<24].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let source = first[12] == 11 ? Source.node(id) : .clients
    guard waitUntilOpen(source), let node = TestSocket.connected(to: target),
      node.send(first)
    else { return }
    Thread { self.pump(from: node, to: client, source) }.start()
    pump(from: client, to: node, source)
  }

  /// Moves bytes until one side ends.
  private func pump(from: TestSocket, to: TestSocket, _ source: Source) {
    defer {
      from.shutDown()
      to.shutDown()
    }
    while waitUntilOpen(source), let bytes = from.received() {
      guard bytes.isEmpty || waitUntilOpen(source) && to.send(bytes) else { return }
    }
  }

  /// Waits until a source is not blocked, and returns whether the relay is in use.
  private func waitUntilOpen(_ source: Source) -> Bool {
    while !isClosed.load(ordering: .relaxed) {
      if !blocked.withLock({ $0.contains(source) }) { return true }
      usleep(2000)
    }
    return false
  }
}
