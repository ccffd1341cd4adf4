/// Writes the Swift code for the queries of a file.
package struct QueryGenerator {
  let queries: [CheckedQuery]
  let file: String
  let declarations: Declarations
  var access: String { declarations.isPublic ? "public " : "" }

  /// `file` is the name of the file with the queries, without its folder.
  package init(_ queries: [CheckedQuery], file: String, declarations: Declarations) {
    self.queries = queries
    self.file = file
    self.declarations = declarations
  }

  package var code: String {
    var source = SwiftSource()
    source.add("// Generated from \(file), where changes belong.")
    source.add()
    for line in imports { source.add(line) }
    addRows(to: &source)
    addStatements(to: &source)
    addFunctions(to: &source)
    addForms(to: &source)
    addStreams(to: &source)
    return source.text
  }

  private var imports: [String] {
    let types = queries.flatMap { $0.parameters.map(\.type) + $0.columns.map(\.type) }
    var modules = Set(declarations.imports + ["Sluice"])
    if types.contains(where: \.isFoundation) { modules.insert("Foundation") }
    return modules.sorted().map { "\(access)import \($0)" }
  }

  private func addRows(to source: inout SwiftSource) {
    var known: Set<String> = []
    for query in queries {
      guard let name = query.rowName, known.insert(name).inserted else { continue }
      let users = queries.filter { $0.rowName == name }.map { "`\($0.text.name.value)`" }
      source.add()
      source.document([
        "A row of \(users.count > 1 ? "\(users.dropLast().joined(separator: ", ")) and \(users[users.count - 1])" : users[0])."
      ])
      source.block("\(access)struct \(name): Sendable, Hashable, Codable") { source in
        for column in query.columns {
          source.add("\(access)var \(column.label.escaped): \(column.type.swift)")
        }
        if declarations.isPublic { addInitializer(query, to: &source) }
      }
      source.add()
      source.block("extension \(name)") { source in
        source.document(["Reads the columns by their places."])
        source.block("\(access)static var converter: RowConverter<Self>") { source in
          source.add("RowConverter { row in")
          source.indented { source in
            let items = query.columns.enumerated().map { "\($1.label): \($1.type.reading($0))" }
            source.list("try Self", items, "")
          }
          source.add("}")
        }
      }
    }
  }

  private func addInitializer(_ query: CheckedQuery, to source: inout SwiftSource) {
    source.add()
    let items = query.columns.map { "\($0.label.escaped): \($0.type.swift)" }
    source.list("public init", items, " {")
    for column in query.columns {
      source.add("  self.\(column.label.escaped) = \(column.label.escaped)")
    }
    source.add("}")
  }

  private func addStatements(to source: inout SwiftSource) {
    guard !queries.isEmpty else { return }
    source.add()
    source.block("private enum Statements") { source in
      for (index, query) in queries.enumerated() {
        if index > 0 { source.add() }
        let literal = SwiftLiteral.block(query.text.sql, indent: source.indent + "  ")
        source.add("static let \(query.text.name.value.escaped) = \(literal[0])")
        source.add(indented: Array(literal.dropFirst()))
      }
    }
  }
}
