/// A workload that is set up, and whose sides have both run once with the same result.
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

  /// Runs one side; only the call inside `measure` is to be measured.
  func run(
    _ side: Side, measure: (_ body: () throws -> Int64) throws -> Int64 = { try $0() }
  ) throws {
    try workload.reset()
    let found = try measure { try workload.run(side) } &+ workload.check(side)
    guard found == checksum else {
      throw Failure("\(id): \(side) computed \(found), where C had computed \(checksum)")
    }
  }
  /// Returns the cost of a side's last run by the workload's own measure; nil if it has none.
  func cost(_ side: Side) -> Double? { workload.cost(side) }
}
