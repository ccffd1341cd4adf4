import ClusterDoor
import Synchronization
import Testing

@Suite struct `The log of a door` {
  @Test func `the same reason appears once a second, with the number of the others`() {
    let log = RecordedLog()
    for _ in 0..<100 { log.log.refuse("10.0.0.9:1", "it does not use TLS") }
    log.log.refuse("10.0.0.9:1", "another reason")
    #expect(
      log.lines == [
        "10.0.0.9:1 was refused: it does not use TLS", "10.0.0.9:1 was refused: another reason",
      ])
    log.pass(.milliseconds(1100))
    log.log.refuse("10.0.0.8:2", "it does not use TLS")
    #expect(log.lines.last == "10.0.0.8:2 was refused: it does not use TLS (and 99 more)")
  }

  @Test func `a client appears once a minute`() {
    let log = RecordedLog()
    let identity = DoorIdentity(name: "web", role: .client)
    for _ in 0..<10 { log.log.admit("10.0.0.9", identity) }
    log.pass(.seconds(59))
    log.log.admit("10.0.0.9", identity)
    #expect(log.lines == ["The client \"web\" from 10.0.0.9 is connected"])
    log.log.admit("10.0.0.8", identity)
    log.pass(.seconds(2))
    log.log.admit("10.0.0.9", identity)
    #expect(log.lines.count == 3)
  }

  @Test func `text of others cannot forge a line, and is cut off`() {
    let log = RecordedLog()
    log.log.refuse("10.0.0.9:1", "a\nsluice-node: b\u{1b}[31m\u{202e}")
    #expect(log.lines == ["10.0.0.9:1 was refused: a\\u{a}sluice-node: b\\u{1b}[31m\\u{202e}"])
    log.log.refuse("10.0.0.9:1", String(repeating: "x", count: 100_000))
    #expect(log.lines.allSatisfy { $0.count < 600 })
  }

  @Test func `many different reasons cost a bounded number of lines and memory`() {
    let log = RecordedLog()
    for number in 0..<10_000 { log.log.refuse("10.0.0.9:1", "reason \(number)") }
    #expect(log.lines.count == 1)
    for number in 0..<10_000 {
      let letters = String(number, radix: 26).map { $0.isNumber ? "q" : "\($0)" }.joined()
      log.log.refuse("10.0.0.9:1", "reason \(letters)")
    }
    #expect(log.lines.count < 300)
  }
}

/// A log with a clock that a test moves.
final class RecordedLog: Sendable {
  private final class State: Sendable {
    let lines = Mutex<[String]>([])
    let now = Mutex(ContinuousClock.now)
  }

  private let state: State
  let log: DoorLog

  init() {
    let state = State()
    self.state = state
    log = DoorLog(
      now: { state.now.withLock { $0 } },
      write: { line in state.lines.withLock { $0.append(line) } })
  }

  var lines: [String] { state.lines.withLock { $0 } }

  func pass(_ time: Duration) { state.now.withLock { $0 += time } }
}
