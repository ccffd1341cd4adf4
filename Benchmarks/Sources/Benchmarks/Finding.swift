/// The measurements of one workload.
struct Finding {
  let workload: String
  let name: String
  let unit: Unit
  /// The cost of one row, call or query in C.
  let c: Double
  /// The cost of one row, call or query in Sluice.
  let sluice: Double
  /// In each round, the cost of Sluice divided by the cost of C.
  let ratios: [Double]
  /// The maximum ratio; for memory, the maximum size.
  let target: Double
  /// The number of rows, calls or queries in each measurement.
  let count: Int

  enum Unit: String {
    case nanoseconds = "ns"
    case instructions = "instr"
    case mebibytes = "mib"
  }
}

extension Finding {
  /// Creates the finding for `operation` from the costs of both sides in each round.
  init(_ operation: Operation, _ unit: Unit, count: Int, c: [Double], sluice: [Double]) {
    self.init(
      workload: operation.workload, name: operation.name, unit: unit, c: c.median,
      sluice: sluice.median, ratios: zip(sluice, c).map { $0 / $1 }, target: operation.target,
      count: count)
  }

  var ratio: Double { ratios.median }

  var isMet: Bool { (unit == .mebibytes ? sluice : ratio) <= target }
}

extension [Double] {
  /// The middle value, or the mean of the two middle values.
  var median: Double {
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
