/// A prepared workload, both sides of which have run once with the same result.
struct Match {
  private let id: String
  private let workload: any Workload
  private let checksum: Int64

  init(_ operation: Operation, count: Int) throws {
    id = operation.id
    workload = try operation.make(count)
    try workload.reset()
    checksum = try workload.run(.c) &+ workload.check(.c)
    try run(.sluice)
  }

  /// Runs one side; only the call that `measure` makes is measured.
  func run(
    _ side: Side, measure: (_ body: () throws -> Int64) throws -> Int64 = { try $0() }
  ) throws {
    try workload.reset()
    let found = try measure { try workload.run(side) } &+ workload.check(side)
    guard found == checksum else {
      throw Failure("\(id): \(side) computed \(found), but C had computed \(checksum)")
    }
  }
  /// Returns the cost of a side's last run as the workload measures it; nil if the workload has no measure of its
  /// own.
  func cost(_ side: Side) -> Double? { workload.cost(side) }
}
