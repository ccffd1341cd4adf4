/// One line of the table: a workload, and how fast Sluice has to be at it.
struct Operation: Sendable {
  /// What it is called on the command line: the number of the workload, and its form if there are several.
  let id: String
  let name: String
  /// What C needs, times this, is what Sluice may need.
  let target: Double
  /// How many rows, calls or queries are measured each time.
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

  /// What its time is taken by.
  enum Clock {
    case processor
    /// That of threads which wait for each other, whose instructions tell nothing.
    case wall
  }

  /// The number that the workload goes by, which those of the same one share.
  var workload: String { String(id.prefix { $0 != "-" }) }
}
