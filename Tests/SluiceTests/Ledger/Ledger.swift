import Foundation

/// The list of SQLite's functions, from which the article `EveryFunction` is generated.
struct Ledger {
  /// A line of the list.
  struct Row {
    let function: String
    /// The version or the build that adds the function; nil for a function of SQLite 3.40.1.
    let origin: String?
    /// The Swift API, or the reason why Sluice omits the function.
    let text: String
    let isReached: Bool
    /// The file and the name of a test, if Sluice calls the function.
    let test: (file: String, name: String)?

    /// The members and types that the text links to, as the compiler names them.
    var symbols: [String] {
      text.matches(of: /``([^`]+)``/).map { match in
        // A suffix disambiguates overloads.
        String(match.1.prefix { $0 != "-" }.replacing("/", with: "."))
      }
    }
  }

  let rows: [Row]

  init() throws {
    let list = DocumentationTests.root.appending(path: "Tests/Ledger/functions.txt")
    var isReached = true
    var rows: [Row] = []
    for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
      if line == "LEFT OUT" { isReached = false }
      guard line.hasPrefix("sqlite3") else { continue }
      let cells = line.components(separatedBy: " | ")
      let name = cells[0].components(separatedBy: ", ")
      rows.append(
        Row(
          function: name[0], origin: name.count > 1 ? name[1] : nil,
          text: cells.count > 1 ? cells[1] : "", isReached: isReached,
          test: cells.count == 4 ? (cells[2], cells[3]) : nil))
    }
    self.rows = rows
  }
}
