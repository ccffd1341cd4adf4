import SluiceCore

/// A counter of calls that, when armed, makes one call fail, or that call and all later ones.
final class Fuse: Sendable {
  private struct State {
    var counts: [FileSystemCall: Int] = [:]
    var fault: FileFault?
    /// The number of the call to fail among the affected calls, starting at 1.
    var number = 0
    var passed = 0
    var failed: FileSystemCall?
    /// Whether a loop of failing calls is running.
    var isInLoop = false
  }

  private let state = Locked(State())

  var counts: [FileSystemCall: Int] { state.withLock { $0.counts } }

  func resetCounts() { state.withLock { $0.counts = [:] } }

  func arm(_ fault: FileFault, _ number: Int) {
    state.withLock { state in
      (state.fault, state.number) = (fault, max(1, number))
      (state.passed, state.failed) = (0, nil)
    }
  }

  /// Records that a loop begins; returns false if another loop is already running.
  func beginLoop() -> Bool {
    state.withLock { state in
      defer { state.isInLoop = true }
      return !state.isInLoop
    }
  }

  func endLoop() {
    state.withLock { state in (state.isInLoop, state.fault) = (false, nil) }
  }

  @discardableResult
  func disarm() -> FileSystemCall? {
    state.withLock { state in
      state.fault = nil
      return state.failed
    }
  }

  func pass(_ call: FileSystemCall) throws {
    let blown: (fault: FileFault, number: Int)? = state.withLock { state in
      state.counts[call, default: 0] += 1
      guard let fault = state.fault, fault.calls.contains(call) else { return nil }
      state.passed += 1
      guard fault.isForEver ? state.passed >= state.number : state.passed == state.number else {
        return nil
      }
      state.failed = state.failed ?? call
      return (fault, state.passed)
    }
    guard let (fault, number) = blown else { return }
    let injected = InjectedFault(call: call, number: number)
    let error = fault.code.map { SQLiteError($0, injected.description) } ?? injected as any Error
    guard fault.isHalfDone, call == .read || call == .write else { throw error }
    throw HalfCall(error: error)
  }
}

/// An error without a result code; the failed call reports its default code to SQLite instead.
struct InjectedFault: Error, CustomStringConvertible {
  let call: FileSystemCall
  let number: Int
  var description: String { "Call \(number), a \(call.rawValue), fails on request" }
}
