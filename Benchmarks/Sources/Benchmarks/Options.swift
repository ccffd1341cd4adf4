/// The options on the command line.
struct Options {
  private(set) var mode = Mode.time
  /// The workloads to measure, by number or id; nil for all.
  private(set) var only: Set<String>?
  private(set) var rounds = 15
  private(set) var isJSON = false
  private(set) var showsFunctions = false

  enum Mode: Equatable {
    case time
    case instructions
    /// Time and instructions together.
    case markdown
    case check
    case help
    /// One side alone, which callgrind observes.
    case side(Side)
  }
}

/// An error in the command line, whose reason is reported to the user.
struct UsageError: Error {
  let message: String
}

extension Options {
  /// Reads the arguments that follow the name of the program.
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
      throw UsageError(message: "--functions goes with --instructions, and not with --json")
    }
    if mode == .markdown && isJSON {
      throw UsageError(message: "A table is markdown or JSON, and not both")
    }
    if mode == .instructions && operations.isEmpty {
      throw UsageError(message: "Memory has no instructions to count")
    }
  }

  private mutating func choose(_ mode: Mode) throws(UsageError) {
    guard self.mode == .time else {
      throw UsageError(message: "Only one thing can be done at a time")
    }
    self.mode = mode
  }

  private static func side(_ text: String) throws(UsageError) -> Side {
    guard let side = Side(rawValue: text) else {
      throw UsageError(message: "A side is c or sluice, not \"\(text)\"")
    }
    return side
  }

  private static func rounds(_ text: String) throws(UsageError) -> Int {
    guard let rounds = Int(text), rounds >= 7, rounds <= 1000 else {
      throw UsageError(message: "--rounds needs a number from 7 to 1000, not \"\(text)\"")
    }
    return rounds
  }

  private static func workloads(_ text: String) throws(UsageError) -> Set<String> {
    let known = Operation.all.flatMap { [$0.workload, $0.id] } + memory
    let names = Set(text.split(separator: ",").map(String.init))
    if let unknown = names.subtracting(known).sorted().first {
      throw UsageError(message: "There is no workload \(unknown)")
    }
    guard !names.isEmpty else { throw UsageError(message: "--only needs workloads") }
    return names
  }
}

extension Options {
  var operations: [Operation] { Operation.all.filter { asksFor($0.workload) || asksFor($0.id) } }

  var asksForMemory: Bool { Memory.isKnown && asksFor(Memory.workload) }

  private static var memory: [String] { Memory.isKnown ? [Memory.workload] : [] }

  private func asksFor(_ name: String) -> Bool { only?.contains(name) ?? true }

  static let help = """
    Measures Sluice against the plain C API of SQLite, side by side in one process.

    Usage: Benchmarks [options]

      --only LIST       Only these workloads, such as 2,8a or 7-borrowed. There are:
                        \(ids)
      --rounds N        How often each side is timed, from 7 on (15).
      --instructions    Count instructions with valgrind, at 1/20 of the size, instead of time.
      --functions       With --instructions: which functions Sluice spends more in than C.
      --json            Print a line of JSON for each operation, and no table.
      --markdown        Measure time and instructions, and print a table for a document.
      --check           Measure nothing: run all once at a tiny size, and compare the checksums.
      --side SIDE       Measure nothing: run c or sluice of the operations, for a profiler.
      -h, --help        Show this text.

    Exit status: 0, whatever is found; 1 if something fails, such as a checksum that differs;
    64 if the options make no sense.

    """

  private static var ids: String {
    let ids = Operation.all.map { $0.id } + memory
    let half = ids.count / 2
    return ids[..<half].joined(separator: " ") + "\n" + String(repeating: " ", count: 20)
      + ids[half...].joined(separator: " ")
  }
}
