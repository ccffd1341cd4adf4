import Foundation
import Sluice

// Injects faults below Sluice in every possible way, and prints the results: see Tests/README.md.
//
// Each target runs in its own process, so that even a crash or a hang becomes a line in the printed results.

@main struct Trust {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--write" { return KillWriter.run(Array(arguments.dropFirst())) }
    let isChild = arguments.first == "--child"
    if isChild { arguments.removeFirst() }
    guard let options = Options(arguments) else {
      say(
        "usage: Trust [--short] [--seed N] [--seconds N] [--rounds N] [\(Target.allCases.map(\.rawValue).joined(separator: "|"))]..."
      )
      exit(64)
    }
    if isChild { runHere(options) }
    var isSound = true
    for target in options.targets {
      do {
        let status = try Child.run(["--child"] + options.arguments(for: target))
        if status != .exited(0) { isSound = false }
        if case .signaled = status { say("\(target.rawValue): \(status), which is a failure") }
      } catch {
        say("\(target.rawValue): \(error)")
        isSound = false
      }
    }
    if isSound { say("✔ trust: \(options.targets.count) kinds of faults and of input.") }
    exit(isSound ? 0 : 1)
  }

  private static func runHere(_ options: Options) -> Never {
    var isSound = true
    for target in options.targets {
      do {
        for figure in try target.figures(options) {
          figure.print(options)
          isSound = isSound && figure.isSound
        }
      } catch {
        say("\(target.rawValue): \(error)")
        isSound = false
      }
    }
    exit(isSound ? 0 : 1)
  }
}

/// The kind of fault or of fuzzing.
enum Target: String, CaseIterable {
  case files, memory, kill, power, corrupt
  case sql = "fuzz-sql"
  case values = "fuzz-values"
  case scopes = "fuzz-scopes"
  case changes = "fuzz-changes"
  case patterns = "fuzz-patterns"
  case annotations = "fuzz-annotations"

  func figures(_ options: Options) throws -> [Figure] {
    switch self {
    case .files: try FileFaults(options).figures()
    case .memory: try MemoryFaults(options).figures()
    case .kill: try KillLoop(options).figures()
    case .power: try PowerCuts(options).figures()
    case .corrupt: try CorruptFiles(options).figures()
    case .sql: try Fuzzing(options).figures(SQLFuzzer.self)
    case .values: try Fuzzing(options).figures(ValueFuzzer.self)
    case .scopes: try Fuzzing(options).figures(ScopeFuzzer.self)
    case .changes: try Fuzzing(options).figures(ChangeFuzzer.self)
    case .patterns: try Fuzzing(options).figures(PatternFuzzer.self)
    case .annotations: try Fuzzing(options).figures(AnnotationFuzzer.self)
    }
  }
}

struct Options {
  var isShort = false
  var seed: UInt64 = 1
  /// The time in seconds that a fuzzer runs, unless a number of rounds is given.
  var seconds = 60
  var rounds: Int?
  var targets: [Target] = []
  /// Whether the process makes the deliberate mistake, because of which it must fail.
  var isCanary = false

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--short": isShort = true
      case "--canary": isCanary = true
      case "--seed":
        guard let seed = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        self.seed = seed
      case "--seconds":
        guard let seconds = rest.popFirst().flatMap({ Int($0) }) else { return nil }
        self.seconds = seconds
      case "--rounds":
        guard let rounds = rest.popFirst().flatMap({ Int($0) }) else { return nil }
        self.rounds = rounds
      default:
        guard let target = Target(rawValue: argument) else { return nil }
        targets.append(target)
      }
    }
    if targets.isEmpty { targets = Target.allCases }
  }

  func arguments(for target: Target, isCanary: Bool = false) -> [String] {
    (isShort ? ["--short"] : []) + ["--seed", String(seed), "--seconds", String(seconds)]
      + (rounds.map { ["--rounds", String($0)] } ?? []) + [target.rawValue]
      + (isCanary ? ["--canary"] : [])
  }
}
