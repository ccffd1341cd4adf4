// A value that two threads change. The correct version changes the value on a queue.
// report: WARNING: ThreadSanitizer: (data|Swift access) race
// report: #0 .*/shared-value\.swift:
import SluiceCore

@main struct Canary {
  final class Count: @unchecked Sendable {
    var value = 0
  }

  static func main() throws {
    let queue = try ConnectionQueue()
    let count = Count()
    onTwoThreads {
      for _ in 0..<100 {
        if isWrong {
          count.value += 1
        } else {
          do { try queue.sync { _ in count.value += 1 } } catch { fatalError("\(error)") }
        }
      }
    }
    guard isWrong || count.value == 200 else { fatalError() }
  }
}
