import Foundation

/// In which functions Sluice spends more instructions than C.
struct Comparison {
  let operation: Operation
  let c: Profile
  let sluice: Profile

  /// The ten functions in which it is most, a line for each.
  func lines() throws -> [String] {
    let surplus = sluice.functions.map { name, cost in
      (name: name, cost: Double(cost - (c.functions[name] ?? 0)) / Double(operation.countedCount))
    }
    let most = surplus.sorted { $0.cost > $1.cost }.prefix(10)
    let names = try readable(most.map(\.name))
    return ["", "\(operation.id): instructions that Sluice spends beyond those of C, by function"]
      + most.map {
        String(format: "%8.1f  ", $0.cost) + (names[$0.name] ?? $0.name).prefix(110)
      }
  }

  /// The names of Swift's functions as they stand in the source.
  private func readable(_ names: [String]) throws -> [String: String] {
    let mangled = names.filter { $0.hasPrefix("$s") }
    guard !mangled.isEmpty else { return [:] }
    let output = try Tool.run(
      "swift", ["demangle", "--simplified", "--compact"] + mangled, package: "Swift")
    return Dictionary(
      uniqueKeysWithValues: zip(mangled, output.components(separatedBy: "\n")))
  }
}
