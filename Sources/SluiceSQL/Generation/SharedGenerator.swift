import Sluice

/// A generator of the Swift code that query files share: migrations and shared rows.
package struct SharedGenerator {
  let migrations: [MigrationFile]
  let attached: [AttachedFolder]
  let structs: [RowUse]
  let declarations: Declarations
  private var access: String { declarations.isPublic ? "public " : "" }

  /// Creates a generator of the migrations and of the structs that files share.
  init(
    _ migrations: [MigrationFile], attached: [AttachedFolder], structs: [RowUse],
    declarations: Declarations
  ) {
    self.migrations = migrations
    self.attached = attached
    self.structs = structs
    self.declarations = declarations
  }

  package var code: String {
    var source = SwiftSource()
    source.add("// Generated from \(origin); edit the SQL instead.")
    source.add()
    for line in declarations.imports(for: structs.flatMap(\.row.columnTypes)) {
      source.add(line)
    }
    source.add()
    source.document(["The migrations that create the schema with which the queries were checked."])
    source.block("nonisolated \(access)enum Migrations") { source in
      add(migrations, to: &source)
      for folder in attached {
        source.add()
        source.document([
          "The migrations of the database that is attached as `\(folder.name)`; apply them on a separate connection."
        ])
        source.block("nonisolated \(access)enum \(folder.typeName)") {
          add(folder.migrations, to: &$0)
        }
      }
    }
    RowGenerator(declarations: declarations).add(structs, to: &source)
    return source.text
  }

  private var origin: String {
    let folders =
      ["Migrations"] + (attached.isEmpty ? [] : ["Attached"]) + (structs.isEmpty ? [] : ["Queries"])
    guard let last = folders.last, folders.count > 1 else { return "the folder Migrations" }
    return "the folders \(folders.dropLast().joined(separator: ", ")) and \(last)"
  }

  private func add(_ files: [MigrationFile], to source: inout SwiftSource) {
    source.document(["All migrations, in order."])
    source.add("\(access)static let all: [Migration] = [")
    source.indented { source in
      for file in files {
        // The formatter removes a comma after the only element of a list.
        let comma = files.count > 1 ? "," : ""
        let literal = SwiftLiteral.block(file.source.text, indent: source.indent + "    ")
        source.add("Migration(")
        let numbers = file.migration.isMerged ? file.migration.numbers.map { "\($0)" } : nil
        source.add("  \(numbers ?? "\(file.number)"), \(SwiftLiteral.line(file.name)),")
        source.add("  sql: \(literal[0])")
        source.add(indented: Array(literal.dropFirst().dropLast()))
        source.add("    \(literal[literal.count - 1].drop { $0 == " " }))\(comma)")
      }
    }
    source.add("]")
    source.add()
    source.document([
      "Returns a migrator for these migrations; `preparing` adds the functions and collations that they use."
    ])
    source.list(
      "\(access)static func migrator",
      ["preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil"],
      " throws -> Migrator {")
    source.add("  try Migrator(all, preparing: preparing)")
    source.add("}")
  }
}
