import SluiceCore

/// A subscriber, and a model of the values that it should have received.
final class Modelled {
  let recorder: Recorder<[Int]>
  /// The rows that a row publisher has yet to deliver; nil for a live query.
  var constants: [Int]?
  var isStale = true
  private(set) var expected: [[Int]] = []
  private(set) var expectedEnds = 0
  private var demand: ValueDemand
  private var extra: Int
  private var isCancelled = false

  init(_ demand: ValueDemand, extra: Int) {
    self.demand = demand
    self.extra = extra
    let left = SharedLog<Int>()
    recorder = Recorder(demand) { me, _ in
      left.append(1)
      guard left.entries.count <= extra else { return .none }
      // Alternate between returning demand and requesting values, because the two must add up.
      if left.entries.count % 2 == 0 { return .max(1) }
      me.subscription?.request(.max(1))
      return .none
    }
  }

  func request(_ more: ValueDemand) {
    recorder.subscription?.request(more)
    demand += more
  }

  func cancel() {
    recorder.subscription?.cancel()
    isCancelled = true
  }

  /// Brings the model to the state that the library should have reached by now.
  func advance(_ rows: [Int]) {
    while !isCancelled, expectedEnds == 0, demand != .none {
      if let rest = constants {
        guard let first = rest.first else {
          expectedEnds = 1
          return
        }
        constants = Array(rest.dropFirst())
        deliver([first])
      } else {
        guard isStale else { return }
        isStale = false
        deliver(rows)
      }
    }
  }

  private func deliver(_ value: [Int]) {
    expected.append(value)
    if let count = demand.count { demand = .max(count - 1) }
    if extra > 0 {
      extra -= 1
      demand += .max(1)
    }
  }

  var difference: String? {
    guard recorder.values != expected || recorder.ends != expectedEnds else { return nil }
    return "\(recorder.values), \(recorder.ends) in place of \(expected), \(expectedEnds)"
  }
}
