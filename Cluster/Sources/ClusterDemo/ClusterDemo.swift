import Dispatch
import Foundation
import LocalNodes

/// A program that kills the leader of a cluster while the notes of `Examples/notes` are written, and shows that they
/// survive.
@main
struct ClusterDemo {
  /// The seconds after which the demo gives up.
  private static let limit = 60.0

  static func main() async {
    // A write to a closed connection throws an error instead of ending the process.
    signal(SIGPIPE, SIG_IGN)
    var isGood = false
    do {
      let nodes = try LocalCluster(latency: 20)
      defer { nodes.end() }
      nodes.endOnSignals()
      DispatchQueue.global().asyncAfter(deadline: .now() + limit) {
        print("The demo has not ended within \(Int(limit)) seconds.")
        nodes.end()
        exit(1)
      }
      isGood = try await Demo(nodes).run()
    } catch {
      print("The demo failed: \(error)")
    }
    exit(isGood ? 0 : 1)
  }
}

/// A step of the demo did not succeed.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
