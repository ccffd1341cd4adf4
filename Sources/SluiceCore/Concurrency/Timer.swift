import Dispatch

/// Calls a closure after a while, unless it is cancelled before.
@safe struct Timer: Sendable {
  /// Nothing but the two calls that end it comes after its start.
  private nonisolated(unsafe) let source: any DispatchSourceTimer
  private static let queue = DispatchQueue(label: "Sluice.timers", qos: .userInitiated)

  init(after delay: Duration, _ body: @escaping @Sendable () -> Void) {
    unsafe source = DispatchSource.makeTimerSource(queue: Self.queue)
    unsafe source.schedule(deadline: .now() + delay.dispatchInterval)
    unsafe source.setEventHandler { body() }
    unsafe source.activate()
  }

  func cancel() { unsafe source.cancel() }
}

extension Duration {
  /// The duration as Dispatch has it, which goes up to 292 years.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let (scaled, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooLong else { return seconds < 0 ? .nanoseconds(0) : .never }
    return .nanoseconds(Int(clamping: max(0, scaled + attoseconds / 1_000_000_000)))
  }
}
