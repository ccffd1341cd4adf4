import Foundation

/// The program, which measures the selected workloads, and prints a table.
@main
struct Benchmarks {
  static func main() {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      if arguments.first == "growth" {
        try GrowthCommand(arguments: arguments.dropFirst()).run()
      } else {
        try run(Options(arguments: arguments))
      }
    } catch let error as UsageError {
      tell("Benchmarks: \(error.message)\n\n\(Options.help)")
      exit(64)
    } catch {
      Progress.clear()
      tell("Benchmarks: \(error)\n")
      exit(1)
    }
  }

  private static func run(_ options: Options) throws {
    switch options.mode {
    case .help: print(Options.help, terminator: "")
    case .time: try time(options)
    case .instructions: try countInstructions(options)
    case .markdown: try printMarkdown(options)
    case .check: try check(options)
    case .side(let side):
      for operation in options.operations { try operation.runCounted(side) }
    }
  }

  private static func time(_ options: Options) throws {
    var report = Report(options)
    report.begin(
      "Processor time, or wall-clock time if threads wait for each other; the ratio is the median of the ratios in \(options.rounds) rounds.",
      scale: 1)
    for operation in options.operations {
      Progress.show("\(operation.workload): \(operation.name)")
      try report.add(operation.timing(rounds: options.rounds))
    }
    if options.asksForMemory {
      Progress.show("\(Memory.workload): memory")
      try report.add(Memory.measure(rounds: options.rounds))
    }
    report.end()
  }

  private static func countInstructions(_ options: Options) throws {
    let callgrind = try Callgrind()
    var report = Report(options)
    report.begin("Instructions, as counted by callgrind.", scale: Operation.scale)
    var functions: [String] = []
    for operation in options.operations where operation.clock == .processor {
      Progress.show("\(operation.workload): \(operation.name)")
      let (finding, comparison) = try operation.instructions(callgrind)
      try report.add(finding)
      if options.showsFunctions { functions += try comparison.lines() }
    }
    report.end()
    for line in functions { print(line) }
  }

  private static func printMarkdown(_ options: Options) throws {
    var table = try MarkdownTable(machine: .current(), rounds: options.rounds)
    if !options.operations.isEmpty {
      let callgrind = try Callgrind()
      for operation in options.operations {
        Progress.show("\(operation.workload): \(operation.name)")
        let instructions =
          try operation.clock == .processor ? operation.instructions(callgrind).0 : nil
        try table.add(time: operation.timing(rounds: options.rounds), instructions: instructions)
      }
    }
    if options.asksForMemory {
      Progress.show("\(Memory.workload): memory")
      table.memory = try Memory.measure(rounds: options.rounds)
    }
    Progress.clear()
    print(table)
  }

  private static func check(_ options: Options) throws {
    for operation in options.operations {
      _ = try Match(operation, count: 100)
    }
    if options.asksForMemory { _ = try Memory.measure(rounds: 1) }
    print("✔ benchmarks: the sides of \(options.operations.count) operations have equal results.")
  }

  private static func tell(_ text: String) {
    // If standard error is closed, a failed write cannot be reported.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
