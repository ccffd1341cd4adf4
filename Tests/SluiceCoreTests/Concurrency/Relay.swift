import Dispatch
import SluiceCore
import Synchronization
import TestSupport
import Testing

/// The number of seconds after which waiting counts as a failure.
///
/// A task may have to wait for all other tests, which are slow under a sanitizer.
let patience = 500.0

/// A gate that one side opens while the other side waits, up to a time limit.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  /// Waits until the gate opens, and returns false if it does not open in time.
  func pass(within seconds: Double = patience) -> Bool {
    semaphore.wait(timeout: .now() + seconds) == .success
  }
}

/// A thread-safe log of entries, in the order in which they were appended.
final class SharedLog<Entry: Sendable>: Sendable {
  private let storage = Locked<[Entry]>([])

  func append(_ entry: Entry) { storage.withLock { $0.append(entry) } }
  var entries: [Entry] { storage.withLock { $0 } }
}

/// An object that calls a closure when it is deallocated.
final class Leftover: Sendable {
  private let act: @Sendable () -> Void
  init(_ act: @escaping @Sendable () -> Void) { self.act = act }
  deinit { act() }
}

extension DispatchGroup {
  /// Waits for the group, and returns whether it became empty in time.
  func finishes(within seconds: Double = patience) -> Bool {
    wait(timeout: .now() + seconds) == .success
  }
}

/// Runs `body` on another thread, and returns whether it finishes within five seconds.
func returnsInTime(_ body: @escaping @Sendable () -> Void) -> Bool {
  let gate = Gate()
  DispatchQueue(label: "watched").async {
    body()
    gate.open()
  }
  return gate.pass(within: 5)
}

/// Runs `body`, and fails and ends the test if `body` does not finish within half a minute.
///
/// The time is counted in steps of the executor that runs the tests, so a busy machine allows more time.
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

/// Runs `count` bodies that start together, and returns whether all finish in time.
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

/// Runs `body` on another thread, which it may block, and returns its result.
@discardableResult
func apart<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "apart").async { continuation.resume(returning: body()) }
  }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let value = Atomic(0)

  func add() { value.add(1, ordering: .acquiringAndReleasing) }
  var count: Int { value.load(ordering: .acquiring) }
}
