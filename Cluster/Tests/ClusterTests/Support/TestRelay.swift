import Foundation
import SluiceCluster
import Synchronization

/// A relay in front of a node, which can hold back everything that one of the senders sends, and cut connections that
/// commit.
///
/// Each node sends to another one over its own connection, so a relay cuts one direction between two nodes. Bytes that
/// are held back arrive later, as they do after a failure of a network.
final class TestRelay: Sendable {
  /// A sender of bytes to the node.
  enum Source: Hashable, Sendable {
    case node(UInt64)
    case clients
  }

  /// The instant at which a connection is cut during a COMMIT.
  enum Cut: CaseIterable, Sendable {
    /// The node does not receive the COMMIT.
    case before
    /// The node receives it, and the connection ends at once.
    case during
    /// The node has answered, but the client does not receive the answer.
    case after
  }

  let address: NodeAddress
  private let target: NodeAddress
  private let blocked = Mutex<Set<Source>>([])
  private let chooseCut = Mutex<@Sendable () -> Cut?>({ nil })
  private let isClosed = Atomic(false)

  /// Accepts connections for the node that listens at `target`.
  init(at address: NodeAddress, to target: NodeAddress) throws {
    self.address = address
    self.target = target
    let listener = try TestSocket.bound(to: address)
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

  /// Cuts the connection of a client that sends COMMIT, if `choose` says so.
  func cutCommits(_ choose: @escaping @Sendable () -> Cut?) { chooseCut.withLock { $0 = choose } }

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
    guard waitUntilOpen(source), let node = TestSocket.connected(to: target) else { return }
    let isCut = Flag()
    Thread { self.pump(from: node, to: client, source) { _ in isCut.isSet ? nil : .max } }.start()
    guard source == .clients else {
      guard node.send(first) else { return }
      return pump(from: client, to: node, source) { _ in .max }
    }
    var requests = RequestReader()
    let check: ([UInt8]) -> Int? = { bytes in
      for end in requests.commits(in: bytes) {
        guard let cut = self.chooseCut.withLock({ $0 })() else { continue }
        Figures.add(to: .cutCommits)
        if cut == .before { return nil }
        isCut.set()
        return cut == .during ? end : .max
      }
      return .max
    }
    guard let count = check(first), node.send(Array(first.prefix(count))), count == .max else {
      return node.shutDown()
    }
    pump(from: client, to: node, source, check)
  }

  /// Moves bytes until one side ends, or until `check` does not permit all bytes.
  private func pump(
    from: TestSocket, to: TestSocket, _ source: Source, _ check: ([UInt8]) -> Int?
  ) {
    defer {
      from.shutDown()
      to.shutDown()
    }
    while waitUntilOpen(source), let bytes = from.received() {
      if bytes.isEmpty { continue }
      guard let count = check(bytes), waitUntilOpen(source), to.send(Array(bytes.prefix(count))),
        count == .max
      else { return }
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

/// A flag that one thread sets for another.
private final class Flag: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

/// Finds the requests with a COMMIT in the bytes that a client sends.
private struct RequestReader {
  private var rest: [UInt8] = []
  private var hasGreeted = false

  /// Returns the ends of the requests in `bytes` whose SQL ends with COMMIT.
  mutating func commits(in bytes: [UInt8]) -> [Int] {
    let start = rest.count
    rest += bytes
    var (position, ends) = (0, [Int]())
    while case let left = rest[position...], left.count >= 8 {
      let words = left.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      let size = hasGreeted ? 8 + 8 * words : 8
      guard left.count >= size else { break }
      if hasGreeted, left[position + 4] == 8,
        left.prefix(size).dropFirst(16).prefix(while: { $0 != 0 })
          .suffix(6).elementsEqual("COMMIT".utf8)
      {
        ends.append(position + size - start)
      }
      hasGreeted = true
      position += size
    }
    rest.removeFirst(position)
    return ends
  }
}
