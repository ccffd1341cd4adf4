import Foundation
import Sluice

/// The command `sluice explain`, which shows the query plan of a statement.
struct Explain: Command {
  let name = "explain"
  let summary = "Shows the query plan of a statement, and points out full scans."
  let details = """
    The statement is not executed, and its parameters need no values. A full scan visits every row
    of a table, or every entry of an index, unless a LIMIT stops it.
    """
  let operands = [
    Source.operand,
    Operand(
      name: "SQL", help: "A single statement, or - to read it from standard input.",
      isRequired: false),
  ]
  static let file = Option(
    name: "--file", value: "FILE", kind: .file, help: "Read the statement from a file.")
  static let noScans = Option(
    name: "--no-scans", help: "Exit with status 1 if there is a full scan.")
  let options = [file, noScans, .json]

  func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
    let source = try Script(arguments, console)
    let plan = try Source.read(arguments.operands[0]) { connection in
      try source.placing(on: connection) { try connection.prepare(sql: source.sql).queryPlan() }
    }
    let scans = plan.fullScans
    if arguments.has(.json) {
      try console.write(
        json: PlanReport(
          plan: plan.nodes.map { PlanReport.Step($0, scans) }, fullScans: scans.map(\.detail)))
    } else {
      let text = Self.text(plan.nodes, scans, "")
      try console.write(plan.nodes.isEmpty ? "The statement reads no table.\n" : text)
    }
    return arguments.has(Self.noScans) && !scans.isEmpty ? .found : .success
  }

  private static func text(
    _ nodes: [QueryPlan.Node], _ scans: [QueryPlan.Node], _ indent: String
  ) -> StyledText {
    nodes.enumerated().map { index, node in
      let isLast = index == nodes.count - 1
      var line: StyledText = "\(indent)\(isLast ? "`--" : "|--")\(node.detail.inOneLine)"
      if scans.contains(node) { line += "   " + StyledText("<-- full scan", .scan) }
      return line + "\n" + text(node.children, scans, indent + (isLast ? "   " : "|  "))
    }.joined()
  }
}

private struct PlanReport: Encodable {
  let plan: [Step]
  let fullScans: [String]

  struct Step: Encodable {
    let detail: String
    let isFullScan: Bool
    let steps: [Step]

    init(_ node: QueryPlan.Node, _ scans: [QueryPlan.Node]) {
      detail = node.detail
      isFullScan = scans.contains(node)
      steps = node.children.map { Step($0, scans) }
    }
  }
}
