import Dispatch

/// Whether the canary is to do what it warns of, and not the same thing as it should be done.
let isWrong = CommandLine.arguments.contains("wrong")

/// Runs `body` on two threads at once, which start together.
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
