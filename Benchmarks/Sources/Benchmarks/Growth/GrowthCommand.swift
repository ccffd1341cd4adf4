import Foundation

/// The command `growth`, which shows how costs grow with sizes, and fails if one grows faster than it may.
struct GrowthCommand {
  private var only: [Growth] = Growth.all
  private var isShort = false
  /// The work to do, instead of measuring it.
  private var work: (growth: Growth, size: Int, times: Int)?

  init(arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--short": isShort = true
      case "--only":
        only = []
        for id in rest.popFirst()?.split(separator: ",") ?? [] {
          only.append(try Self.growth(String(id)))
        }
      case "--work":
        guard rest.count == 3, let size = Int(rest[rest.startIndex + 1]),
          let times = Int(rest[rest.startIndex + 2])
        else { throw UsageError(message: "--work needs an ID, a size and a number of times") }
        work = (try Self.growth(rest[rest.startIndex]), size, times)
        rest = []
      default: throw UsageError(message: "growth has no option \(argument)")
      }
    }
    guard !only.isEmpty else { throw UsageError(message: "--only needs at least one size") }
  }

  private static func growth(_ id: String) throws(UsageError) -> Growth {
    guard let growth = Growth.all.first(where: { $0.id == id }) else {
      throw UsageError(message: "There is no size \(id)")
    }
    return growth
  }

  func run() throws {
    if let work { return try work.growth.run(size: work.size, times: work.times) }
    let callgrind = try Callgrind()
    print(GrowthFinding.header)
    var failures: [String] = []
    for growth in only {
      let finding = try growth.measure(
        isShort ? growth.sizes.prefix(2) : growth.sizes[...], callgrind)
      Progress.clear()
      print(finding.line)
      fflush(nil)
      if !finding.isMet { failures.append(growth.id) }
    }
    guard failures.isEmpty else {
      throw Failure("These costs grow faster than they may: \(failures.joined(separator: ", "))")
    }
    print("✔ growth: \(only.count) costs grow no faster than they may.")
  }
}
