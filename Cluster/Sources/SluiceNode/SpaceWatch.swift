import Dispatch
import Foundation

/// A timer that ends a node before the file system of its data is full.
///
/// A leader that cannot write its log can remain the leader and execute nothing, so the cluster would stop until the
/// process ends. Version 1.11.1 of dqlite can also end with a segmentation fault, and a follower without space replicates
/// nothing until it starts again.
struct SpaceWatch {
  /// The free space in megabytes that a node needs: its log grows in files of 8 MB, of which dqlite prepares several.
  private static let minimum: UInt64 = 32

  private let timer: any DispatchSourceTimer

  /// Begins to measure the space once a second; throws ``Failure`` if there is too little already.
  init(_ directory: NodeDirectory, _ events: Events) throws {
    let path = directory.data
    if let failure = Self.failure(path) { throw failure }
    let timer = DispatchSource.makeTimerSource(queue: .global())
    self.timer = timer
    timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
    timer.setEventHandler {
      guard let failure = Self.failure(path) else { return }
      events.add(.failed(failure))
      timer.cancel()
    }
    timer.resume()
  }

  func stop() { timer.cancel() }

  /// Returns an error if the file system has too little space.
  private static func failure(_ path: String) -> Failure? {
    var info = statvfs()
    guard unsafe statvfs(path, &info) == 0 else { return nil }
    let free = UInt64(info.f_bavail) * UInt64(info.f_frsize) / (1 << 20)
    guard free < minimum else { return nil }
    return Failure(
      "The file system of \(path) has \(free) MB of free space, but a node needs \(minimum) MB; "
        + "start the node again when it has more")
  }
}
