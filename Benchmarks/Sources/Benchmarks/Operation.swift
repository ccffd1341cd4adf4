/// One line of the table: a workload, and the speed that Sluice must achieve.
struct Operation: Sendable {
  /// The ID on the command line: the number of the workload, with a suffix if it has several forms.
  let id: String
  let name: String
  /// The maximum cost of Sluice, as a multiple of the cost of C.
  let target: Double
  /// The number of rows, calls or queries in each measurement.
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

  /// The clock that measures the duration of an operation.
  enum Clock {
    case processor
    /// The wall clock, for threads that wait for each other; their instruction counts are meaningless.
    case wall
  }

  /// The number of the workload, which all of its operations share.
  var workload: String { String(id.prefix { $0 != "-" }) }
}
