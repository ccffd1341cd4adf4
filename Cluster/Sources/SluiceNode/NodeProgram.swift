import Foundation

/// The program `sluice-node`, whose first argument selects a command.
enum NodeProgram {
  /// All commands, in the order of the help.
  static let commands: [any Command] = [
    MakeKeys(), Start(), Join(), OpenDoor(), Status(), Transfer(), Remove(), Backup(), Restore(),
    Recover(),
  ]

  /// Runs the program with the arguments of the process, and returns the exit code.
  static func main() -> Int32 {
    // Without this, a client that leaves while the node writes to it would end the node.
    signal(SIGPIPE, SIG_IGN)
    defer { PrivateDoor.closeAll() }
    do {
      return try dispatch(Array(CommandLine.arguments.dropFirst())).rawValue
    } catch let error as UsageError {
      tell("error: \(error.message)")
      tell("Try: sluice-node\(error.command.map { " \($0.name)" } ?? "") --help", prefix: "")
      return ExitCode.usage.rawValue
    } catch {
      tell("error: \(error)")
      return ExitCode.failure.rawValue
    }
  }

  /// Writes a line to standard output.
  static func write(_ line: String) throws {
    do { try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) } catch {
      throw Failure("The result cannot be written: \(error.localizedDescription)")
    }
  }

  /// Writes a line to standard error.
  static func tell(_ line: String, prefix: String = "sluice-node: ") {
    // If standard error is closed, a failed write cannot be reported.
    try? FileHandle.standardError.write(contentsOf: Data((prefix + line + "\n").utf8))
  }
}

extension NodeProgram {
  private static func dispatch(_ words: [String]) throws -> ExitCode {
    let names = commands.map(\.name).joined(separator: ", ")
    guard let word = words.first else {
      throw UsageError(message: "A command is missing; expected one of: \(names)")
    }
    if ["--help", "-h", "help"].contains(word) {
      try write(help)
      return .success
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      throw UsageError(message: "There is no command \(word); expected one of: \(names)")
    }
    let rest = words.dropFirst()
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      try write(help(of: command))
      return .success
    }
    return try command.run(Arguments(rest, of: command))
  }

  private static var help: String {
    """
    Runs a node of a cluster, and manages its members.

    Usage: sluice-node COMMAND [options] [arguments]

    \(list("Commands:", commands.map { ($0.name, $0.summary) }))
    Run "sluice-node COMMAND --help" for help on a command. An address is an IPv4 address and a port,
    such as 127.0.0.1:9001. ADDRESS… names one or more nodes of a cluster, of which one must answer.

    With --keys, nodes and clients use TLS, and each needs a certificate of the cluster. Without keys,
    whoever can connect to a node can read, change and delete all databases, and remove nodes, so a node
    then serves only addresses in 127.0.0.0/8. The path of a door's socket can replace an ADDRESS.

    Exit status: 0 on success; 1 if a command found a problem, such as an unreachable member; 2 if the
    arguments are invalid; 3 if a node, the network or a file operation failed.
    """
  }

  private static func help(of command: any Command) -> String {
    let operands = command.operands.isEmpty ? "" : " \(command.operands)"
    let options = (command.allOptions + [.help]).map { option in
      (option.name + (option.value.map { " \($0)" } ?? ""), option.help)
    }
    let details = command.details.isEmpty ? "" : "\(command.details)\n\n"
    return """
      \(command.summary)

      Usage: sluice-node \(command.name) [options]\(operands)

      \(details)\(list("Options:", options))
      """
  }

  /// Returns a list of words and their help texts, with the lines of each help text aligned.
  private static func list(_ title: String, _ rows: [(String, String)]) -> String {
    let width = (rows.map(\.0.count).max() ?? 0) + 3
    return rows.reduce("\(title)\n") { text, row in
      let padding = String(repeating: " ", count: width - row.0.count)
      let indent = "\n" + String(repeating: " ", count: width + 2)
      return text + "  \(row.0)\(padding)\(row.1.replacing("\n", with: indent))\n"
    }
  }
}
