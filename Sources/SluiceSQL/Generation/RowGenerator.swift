/// A generator of structs for rows.
struct RowGenerator {
  let declarations: Declarations
  private var access: String { declarations.isPublic ? "public " : "" }

  /// Adds a struct for each row name in the queries.
  func add(rowsOf queries: [CheckedQuery], to source: inout SwiftSource) {
    var known: Set<String> = []
    for query in queries {
      guard let name = query.rowName, known.insert(name).inserted else { continue }
      let users = queries.filter { $0.rowName == name }.map { "`\($0.text.name.value)`" }
      source.add()
      source.document([
        "A row of \(users.count > 1 ? "\(users.dropLast().joined(separator: ", ")) and \(users[users.count - 1])" : users[0])."
      ])
      add(name, query.columns, to: &source)
    }
  }

  private func add(
    _ name: String, _ columns: [CheckedQuery.Column], to source: inout SwiftSource
  ) {
    source.block("\(access)struct \(name): Sendable, Hashable, Codable") { source in
      for column in columns {
        source.add("\(access)var \(column.label.escaped): \(column.type.swift)")
      }
      if declarations.isPublic { addInitializer(columns, to: &source) }
    }
    source.add()
    source.block("extension \(name)") { source in
      source.document(["Converts a row to a value; reads the columns by index."])
      source.block("\(access)static var converter: RowConverter<Self>") { source in
        source.add("RowConverter { row in")
        source.indented { source in
          let items = columns.enumerated().map { "\($1.label): \($1.type.reading($0))" }
          source.list("try Self", items, "")
        }
        source.add("}")
      }
    }
  }

  private func addInitializer(_ columns: [CheckedQuery.Column], to source: inout SwiftSource) {
    source.add()
    let items = columns.map { "\($0.label.escaped): \($0.type.swift)" }
    source.list("public init", items, " {")
    for column in columns {
      source.add("  self.\(column.label.escaped) = \(column.label.escaped)")
    }
    source.add("}")
  }
}

extension Declarations {
  /// Returns the modules to import for code with these types.
  func imports(for types: [TypeText]) -> [String] {
    // The compiler warns about a public import that is not used.
    var modules = Set((types.contains(where: \.isForeign) ? imports : []) + ["Sluice"])
    if types.contains(where: \.isFoundation) { modules.insert("Foundation") }
    return modules.sorted().map { "\(isPublic ? "public " : "")import \($0)" }
  }
}
