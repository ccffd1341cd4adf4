/// A monitor, which is equal to itself alone.
struct MonitorBox: Hashable, Sendable {
  let monitor: any ConnectionMonitor
  private let identity = Identity()

  private final class Identity: Sendable {}

  init(_ monitor: any ConnectionMonitor) { self.monitor = monitor }

  static func == (first: Self, second: Self) -> Bool { first.identity === second.identity }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(identity)) }
}

extension Configuration {
  /// Who is told of what connections and queues do that are opened with this configuration.
  ///
  /// Without one, which is the default, nothing is measured, and it costs nothing. With one, synchronous calls of a
  /// queue take the way of the others, which is longer.
  public var monitor: (any ConnectionMonitor)? {
    get { monitorBox?.monitor }
    set { monitorBox = newValue.map { MonitorBox($0) } }
  }
}
