import Dispatch
import SluiceCore
import Synchronization
import TestSupport
import Testing

/// How many seconds of waiting are a failure.
///
/// A task may have to wait for all other tests, which are slow under a sanitizer.
let patience = 300.0

/// A gate that one side opens and the other waits at, until that has no more sense.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// False if nobody opened it in time.
  func pass(within seconds: Double = patience) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
  }
}

/// What happened, in order, from any thread.
final class SharedLog<Entry: Sendable>: Sendable {
  private let storage = Locked<[Entry]>([])

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
  var entries: [Entry] { storage.withLock { $0 } }
}

/// Does something when it goes.
final class Leftover: Sendable {
  private let act: @Sendable () -> Void
  init(_ act: @escaping @Sendable () -> Void) { self.act = act }
  deinit { act() }
}

extension DispatchGroup {
  /// Whether all have left in time.
  func finishes(within seconds: Double = patience) -> Bool {
    wait(timeout: .now() + seconds) == .success
  }
}

/// Runs `body` on a thread of its own, and tells whether it came back within five seconds.
func returnsInTime(_ body: @escaping @Sendable () -> Void) -> Bool {
  let gate = Gate()
  DispatchQueue(label: "watched").async {
    body()
    gate.open()
  }
  return gate.pass(within: 5)
}

/// Runs `body`; if it waits for something that never comes, the test fails and ends after half a minute.
///
/// The time is counted by steps of the executor that runs the tests, so that a busy machine gives more of it.
func inTime(
  sourceLocation: SourceLocation = #_sourceLocation,
  _ body: @escaping @Sendable () async throws -> Void
) async throws {
  let (outcomes, continuation) = AsyncStream.makeStream(of: Result<Void, any Error>?.self)
  let work = Task {
    do { continuation.yield(.success(try await body())) } catch {
      continuation.yield(.failure(error))
    }
  }
  let watch = Task {
    for _ in 0..<300 { try await Task.sleep(for: .milliseconds(100)) }
    continuation.yield(nil)
  }
  for await outcome in outcomes {
    watch.cancel()
    if let outcome { return try outcome.get() }
    Issue.record("The body waits for something that does not come", sourceLocation: sourceLocation)
    return work.cancel()
  }
}

/// Runs `count` bodies at once, all of which start together.
func concurrently(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) -> Bool {
  let ready = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  let done = DispatchGroup()
  for number in 0..<count {
    ready.enter()
    DispatchQueue(label: "thread \(number)").async(group: done) {
      ready.leave()
      start.wait()
      body(number)
    }
  }
  guard ready.finishes() else { return false }
  for _ in 0..<count { start.signal() }
  return done.finishes()
}

/// What `body` returns, which may block its thread.
@discardableResult
func apart<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "apart").async { continuation.resume(returning: body()) }
  }
}

/// Counts from any thread.
final class Counter: Sendable {
  private let value = Atomic(0)

  func add() { value.add(1, ordering: .acquiringAndReleasing) }
  var count: Int { value.load(ordering: .acquiring) }
}
