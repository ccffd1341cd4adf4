/// One line of the table: a workload, and how fast Sluice has to be at it.
struct Operation: Sendable {
  /// What it is called on the command line: the number of the workload, and its form if there are several.
  let id: String
  let name: String
  /// What C needs, times this, is what Sluice may need.
  let target: Double
  /// How many rows, calls or queries are measured each time.
  let count: Int
  let make: @Sendable (_ count: Int) throws -> any Workload

  init(
    _ id: String, _ name: String, target: Double, count: Int,
    _ make: @escaping @Sendable (_ count: Int) throws -> any Workload
  ) {
    self.id = id
    self.name = name
    self.target = target
    self.count = count
    self.make = make
  }

  /// The number that the workload goes by, which those of the same one share.
  var workload: String { String(id.prefix { $0 != "-" }) }
}
