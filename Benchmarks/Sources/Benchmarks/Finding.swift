/// What was measured of one workload.
struct Finding {
  let workload: String
  let name: String
  let unit: Unit
  /// What one row, call or query costs each side.
  let c: Double
  let sluice: Double
  /// The cost of Sluice by that of C, in each round.
  let ratios: [Double]
  /// The most that the ratio may be; for memory, the most that Sluice may need by itself.
  let target: Double
  /// How many rows, calls or queries were measured each time.
  let count: Int

  enum Unit: String {
    case nanoseconds = "ns"
    case instructions = "instr"
    case mebibytes = "mib"
  }
}

extension Finding {
  /// What was found of `operation`: the costs of both sides in each round.
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
  /// The value in the middle, or the mean of the two that are there.
  var median: Double {
    let sorted = sorted()
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
