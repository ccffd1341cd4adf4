import Foundation

/// A comparison of the instructions that Sluice and C execute in each function.
struct Comparison {
  let operation: Operation
  let c: Profile
  let sluice: Profile

  /// Returns the ten functions in which Sluice executes the most instructions beyond C, one per line.
  func lines() throws -> [String] {
    let surplus = sluice.functions.map { name, cost in
      (name: name, cost: Double(cost - (c.functions[name] ?? 0)) / Double(operation.countedCount))
    }
    let most = surplus.sorted { $0.cost > $1.cost }.prefix(10)
    let names = try readable(most.map(\.name))
    return ["", "\(operation.id): instructions that Sluice executes beyond C, by function"]
      + most.map {
        String(format: "%8.1f  ", $0.cost) + (names[$0.name] ?? $0.name).prefix(110)
      }
  }

  /// Returns the demangled names of Swift functions, by mangled name.
  private func readable(_ names: [String]) throws -> [String: String] {
    let mangled = names.filter { $0.hasPrefix("$s") }
    guard !mangled.isEmpty else { return [:] }
    let output = try Tool.run(
      "swift", ["demangle", "--simplified", "--compact"] + mangled, package: "Swift")
    return Dictionary(
      uniqueKeysWithValues: zip(mangled, output.components(separatedBy: "\n")))
  }
}
