import ClusterDoor
import Foundation
import LocalNodes
import SluiceCluster
import Synchronization
import Testing

/// A relay that records the bytes that clients send.
final class RecordingRelay: Sendable {
  let address: NodeAddress
  private let bytes = Mutex<[UInt8]>([])
  private let isStopped = Atomic(false)

  /// Listens on another port of the target's host.
  init(to target: NodeAddress) throws {
    let host = try #require(DoorAddress(target.description)).host
    let port = UInt16.random(in: 20_000..<30_000)
    address = try #require(NodeAddress("\(host):\(port)"))
    let listener = try TestSocket.bound(to: address)
    listener.startListening()
    Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        guard let client = listener.accepted(), let node = TestSocket.connected(to: target) else {
          continue
        }
        Thread { self.move(from: client, to: node) { self.record($0) } }.start()
        Thread { self.move(from: node, to: client) { _ in } }.start()
      }
    }.start()
  }

  var recorded: [UInt8] { bytes.withLock { $0 } }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func record(_ new: [UInt8]) { bytes.withLock { $0 += new } }

  private func move(from: TestSocket, to: TestSocket, _ record: ([UInt8]) -> Void) {
    while !isStopped.load(ordering: .relaxed), let bytes = from.received() {
      record(bytes)
      guard bytes.isEmpty || to.send(bytes) else { break }
    }
    from.shutDown()
    to.shutDown()
  }
}
