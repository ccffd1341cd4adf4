import Sluice

/// Writes the Swift code for a folder with migrations.
package struct MigrationGenerator {
  let files: [MigrationFile]
  let declarations: Declarations

  package init(_ files: [MigrationFile], declarations: Declarations) {
    self.files = files
    self.declarations = declarations
  }

  package var code: String {
    let access = declarations.isPublic ? "public " : ""
    var source = SwiftSource()
    source.add("// Generated from the folder Migrations, where changes belong, as further files.")
    source.add()
    source.add("\(access)import Sluice")
    source.add()
    source.document(["The steps that lead to the schema with which the queries were checked."])
    source.block("\(access)enum Migrations") { source in
      source.document(["All steps, in order."])
      source.add("\(access)static let all: [Migration] = [")
      source.indented { source in
        for file in files {
          // In a list of one, it would be one too many for the formatter.
          let comma = files.count > 1 ? "," : ""
          let literal = SwiftLiteral.block(file.source.text, indent: source.indent + "    ")
          source.add("Migration(")
          source.add("  \(file.number), \(SwiftLiteral.line(file.name)),")
          source.add("  sql: \(literal[0])")
          source.add(indented: Array(literal.dropFirst().dropLast()))
          source.add("    \(literal[literal.count - 1].drop { $0 == " " }))\(comma)")
        }
      }
      source.add("]")
      source.add()
      source.document([
        "Brings databases to the newest schema; `preparing` adds the functions and collations that steps use."
      ])
      source.list(
        "\(access)static func migrator",
        ["preparing: (@Sendable (_ copy: Connection) throws -> Void)? = nil"],
        " throws -> Migrator {")
      source.add("  try Migrator(all, preparing: preparing)")
      source.add("}")
    }
    return source.text
  }
}

/// A file with a step.
package struct MigrationFile: Sendable {
  let number: Int
  let name: String
  let source: SourceText
  let migration: Migration
}
