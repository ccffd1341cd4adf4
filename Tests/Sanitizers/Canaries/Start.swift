import Dispatch

/// Whether the canary makes its mistake; otherwise, it does the same work correctly.
let isWrong = CommandLine.arguments.contains("wrong")

/// Runs `body` on two threads that start at the same time.
func onTwoThreads(_ body: @escaping @Sendable () -> Void) {
  let ready = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  for number in 0..<2 {
    ready.enter()
    DispatchQueue(label: "thread \(number)").async(group: done) {
      ready.leave()
      start.wait()
      body()
    }
  }
  ready.wait()
  for _ in 0..<2 { start.signal() }
  done.wait()
}
