/// The options on the command line.
struct Options {
  private(set) var mode = Mode.time
  /// The workloads to measure, by number or ID; nil for all.
  private(set) var only: Set<String>?
  private(set) var rounds = 15
  private(set) var isJSON = false
  private(set) var showsFunctions = false

  enum Mode: Equatable {
    case time
    case instructions
    /// Measures time and instructions, and prints a table for a document.
    case markdown
    case check
    case help
    /// Runs only one side, so that callgrind can observe it.
    case side(Side)
  }
}

/// An error in the command line, which is reported to the user with its reason.
struct UsageError: Error {
  let message: String
}

extension Options {
  /// Parses the arguments that follow the name of the program.
  init(arguments: some Sequence<String>) throws(UsageError) {
    var rest = Array(arguments)[...]
    func value(of option: String) throws(UsageError) -> String {
      guard let value = rest.popFirst(), !value.isEmpty else {
        throw UsageError(message: "\(option) needs a value")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--only": only = try Self.workloads(try value(of: argument))
      case "--rounds": rounds = try Self.rounds(try value(of: argument))
      case "--json": isJSON = true
      case "--functions": showsFunctions = true
      case "--instructions": try choose(.instructions)
      case "--markdown": try choose(.markdown)
      case "--check": try choose(.check)
      case "--help", "-h": try choose(.help)
      case "--side": try choose(.side(Self.side(try value(of: argument))))
      default: throw UsageError(message: "There is no option \(argument)")
      }
    }
    if showsFunctions && (mode != .instructions || isJSON) {
      throw UsageError(
        message: "--functions requires --instructions, and cannot be combined with --json")
    }
    if mode == .markdown && isJSON {
      throw UsageError(message: "--markdown and --json cannot be combined")
    }
    if mode == .instructions && operations.isEmpty {
      throw UsageError(message: "Memory has no instructions to count")
    }
  }

  private mutating func choose(_ mode: Mode) throws(UsageError) {
    guard self.mode == .time else {
      throw UsageError(
        message: "Pass only one of --instructions, --markdown, --check, --side and --help")
    }
    self.mode = mode
  }

  private static func side(_ text: String) throws(UsageError) -> Side {
    guard let side = Side(rawValue: text) else {
      throw UsageError(message: "--side must be c or sluice (got \"\(text)\")")
    }
    return side
  }

  private static func rounds(_ text: String) throws(UsageError) -> Int {
    guard let rounds = Int(text), rounds >= 7, rounds <= 1000 else {
      throw UsageError(message: "--rounds must be a number from 7 to 1000 (got \"\(text)\")")
    }
    return rounds
  }

  private static func workloads(_ text: String) throws(UsageError) -> Set<String> {
    let known = Operation.all.flatMap { [$0.workload, $0.id] } + memory
    let names = Set(text.split(separator: ",").map(String.init))
    if let unknown = names.subtracting(known).sorted().first {
      throw UsageError(message: "There is no workload \(unknown)")
    }
    guard !names.isEmpty else { throw UsageError(message: "--only needs at least one workload") }
    return names
  }
}

extension Options {
  var operations: [Operation] { Operation.all.filter { asksFor($0.workload) || asksFor($0.id) } }

  var asksForMemory: Bool { Memory.isKnown && asksFor(Memory.workload) }

  private static var memory: [String] { Memory.isKnown ? [Memory.workload] : [] }

  private func asksFor(_ name: String) -> Bool { only?.contains(name) ?? true }

  static let help = """
    Compares Sluice with SQLite's C API, side by side in one process.

    Usage: Benchmarks [options]
           Benchmarks growth [--only LIST] [--short]   Count how costs grow with sizes instead.

      --only LIST       Run only these workloads, such as 2,8a or 7-borrowed. They are:
                        \(ids)
      --rounds N        The number of rounds for each side, at least 7 (default: 15).
      --instructions    Count instructions with valgrind, at 1/20 of the size, instead of time.
      --functions       With --instructions: show where Sluice executes more instructions than C.
      --json            Print a line of JSON for each operation instead of a table.
      --markdown        Measure time and instructions, and print a table for a document.
      --check           Measure nothing: run each operation once with little data, and compare
                        the checksums.
      --side SIDE       Measure nothing: run only one side, c or sluice, for a profiler.
      -h, --help        Show this text.

    Exit status: 0 on success, even if a target is not met; 1 if something fails, such as different
    checksums; 64 if the options are invalid.

    """

  private static var ids: String {
    let ids = Operation.all.map { $0.id } + memory
    let half = ids.count / 2
    return ids[..<half].joined(separator: " ") + "\n" + String(repeating: " ", count: 20)
      + ids[half...].joined(separator: " ")
  }
}
