import ClusterDoor
import Foundation
import Synchronization

/// A stand-in for a node behind a door: it sends everything back that it receives, and remembers it.
final class EchoNode: Sendable {
  let name = NodeDoor.newInnerName()
  private let isStopped = Atomic(false)
  private let bytes = Mutex<[UInt8]>([])

  init() throws {
    let listener = try TestSocket.listening(atPath: name)
    Thread { [self] in
      while !isStopped.load(ordering: .relaxed) {
        guard let client = listener.accepted() else { continue }
        Thread { self.serve(client) }.start()
      }
    }.start()
  }

  /// Everything that the node has received.
  var received: [UInt8] { bytes.withLock { $0 } }

  func stop() { isStopped.store(true, ordering: .relaxed) }

  private func serve(_ client: TestSocket) {
    defer { client.shutDown() }
    while !isStopped.load(ordering: .relaxed), let bytes = client.received() {
      guard !bytes.isEmpty else { continue }
      self.bytes.withLock { $0 += bytes }
      guard client.send(bytes) else { return }
    }
  }
}
