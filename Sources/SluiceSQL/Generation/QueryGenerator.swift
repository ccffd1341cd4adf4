/// A generator of the Swift code for the queries of a file.
package struct QueryGenerator {
  let queries: [CheckedQuery]
  let file: String
  let sharedRows: Set<String>
  let declarations: Declarations
  var access: String { declarations.isPublic ? "public " : "" }

  /// Creates a generator for the queries of a file.
  ///
  /// `file` is the name of the file, without its folder. The structs named `sharedRows` are generated separately.
  package init(
    _ queries: [CheckedQuery], file: String, sharedRows: Set<String> = [],
    declarations: Declarations
  ) {
    self.queries = queries
    self.file = file
    self.sharedRows = sharedRows
    self.declarations = declarations
  }

  package var code: String {
    var source = SwiftSource()
    source.add("// Generated from \(file.filter { !$0.isNewline }); edit the SQL instead.")
    source.add()
    let types = queries.flatMap { $0.allParameters.map(\.type) + $0.columns.map(\.type) }
    for line in declarations.imports(for: types) { source.add(line) }
    let own = queries.flatMap(\.rowUses).filter { !sharedRows.contains($0.row.name) }
    RowGenerator(declarations: declarations).add(own, to: &source)
    addStatements(to: &source)
    addFunctions(to: &source)
    addForms(to: &source)
    addStreams(to: &source)
    addChildren(to: &source)
    return source.text
  }

  private func addStatements(to source: inout SwiftSource) {
    guard !queries.isEmpty else { return }
    source.add()
    source.block("nonisolated private enum Statements") { source in
      for (index, query) in queries.enumerated() {
        if index > 0 { source.add() }
        let literal = SwiftLiteral.block(query.text.sql, indent: source.indent + "  ")
        source.add("static let \(query.text.name.value.escaped) = \(literal[0])")
        source.add(indented: Array(literal.dropFirst()))
      }
    }
  }
}
