/// One line of the table: a workload, and the speed that Sluice must reach.
struct Operation: Sendable {
  /// The name on the command line: the number of the workload, and its form if there are several.
  let id: String
  let name: String
  /// The maximum cost of Sluice, as a multiple of the cost of C.
  let target: Double
  /// The number of rows, calls or queries that are measured each time.
  let count: Int
  let clock: Clock
  let make: @Sendable (_ count: Int) throws -> any Workload

  init(
    _ id: String, _ name: String, target: Double, count: Int, clock: Clock = .processor,
    _ make: @escaping @Sendable (_ count: Int) throws -> any Workload
  ) {
    self.id = id
    self.name = name
    self.target = target
    self.count = count
    self.clock = clock
    self.make = make
  }

  /// The clock that measures the time of an operation.
  enum Clock {
    case processor
    /// The clock for threads that wait for each other, whose instruction counts are meaningless.
    case wall
  }

  /// The number of the workload, which all operations of the workload share.
  var workload: String { String(id.prefix { $0 != "-" }) }
}
