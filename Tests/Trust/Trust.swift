import Foundation
import Sluice

// Breaks what Sluice stands on, in all the ways there are, and prints what came of it: see CONTRIBUTING.md.
//
// Each target runs in a process of its own, so that a crash or a hang of one is a line of the table as well.

@main struct Trust {
  static func main() {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--write" { return KillWriter.run(Array(arguments.dropFirst())) }
    let isChild = arguments.first == "--child"
    if isChild { arguments.removeFirst() }
    guard let options = Options(arguments) else {
      say(
        "usage: Trust [--short] [--seed N] [\(Target.allCases.map(\.rawValue).joined(separator: "|"))]..."
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

/// What is broken.
enum Target: String, CaseIterable {
  case files, memory, kill, power, corrupt

  func figures(_ options: Options) throws -> [Figure] {
    switch self {
    case .files: try FileFaults(options).figures()
    case .memory: try MemoryFaults(options).figures()
    case .kill: try KillLoop(options).figures()
    case .power: try PowerCuts(options).figures()
    case .corrupt: try CorruptFiles(options).figures()
    }
  }
}

struct Options {
  var isShort = false
  var seed: UInt64 = 1
  var targets: [Target] = []
  /// Turns the deliberate mistake on, in a process that has to fail of it.
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
      default:
        guard let target = Target(rawValue: argument) else { return nil }
        targets.append(target)
      }
    }
    if targets.isEmpty { targets = Target.allCases }
  }

  func arguments(for target: Target, isCanary: Bool = false) -> [String] {
    (isShort ? ["--short"] : []) + ["--seed", String(seed), target.rawValue]
      + (isCanary ? ["--canary"] : [])
  }
}
