import Foundation
import Sluice

/// A file that contains a migration.
package struct MigrationFile: Sendable {
  let number: Int
  let name: String
  let source: SourceText
  let migration: Migration

  /// The diagnostics for statements that a migration must not contain.
  var diagnostics: [Diagnostic] {
    let tokens = SQLToken.tokens(of: source.text)
    return SQLToken.statements(tokens).compactMap { StatementRules($0).problemOfMigration }.map {
      Diagnostic($0.message, at: $0.offset, in: source)
    } + [source.unclosedComment(behind: tokens)].compactMap(\.self)
  }

  private var statements: [ArraySlice<SQLToken>] {
    SQLToken.statements(SQLToken.tokens(of: source.text))
  }
}

extension MigrationFile {
  /// Returns diagnostics for statements that create an object with one of these names in `temp`.
  ///
  /// The names must be in lowercase.
  func temporaries(among names: Set<[UInt8]>) -> [Diagnostic] {
    statements.compactMap { statement in
      let head = statement.prefix(8)
      guard head.first?.is("create") == true,
        head.contains(where: { $0.is("temp") || $0.is("temporary") }),
        let token = head.first(where: { names.contains($0.content) })
      else { return nil }
      return Self.temporary(source[token.range], at: token.range.lowerBound, in: source)
    }
  }

  /// Returns warnings for statements that add a column, and can fail if the table contains rows.
  ///
  /// The connection has the schema before the migration. Its tables are empty, so that the statements succeed on it, but
  /// the program of a statement that SQLite refuses shows the error. The reference of a default is checked only after the
  /// migration.
  func additionsThatNeedEmptyTables(on connection: Connection) -> [Diagnostic] {
    statements.compactMap { statement in
      guard let first = statement.first, let last = statement.last, first.is("alter") else {
        return nil
      }
      let sql = source[first.range.lowerBound..<last.range.upperBound]
      // A table that the migration itself creates is unknown here, and need not be empty.
      guard let program = try? connection.program(of: sql, parameterCount: 0) else { return nil }
      let messages = program.lazy.filter { $0.opcode == "Halt" }.map { halt in
        // Since SQLite 3.47, the message is in a register.
        let message = program.first { $0.opcode == "String8" && $0.p2 == halt.p3 && halt.p3 != 0 }
        return message?.p4 ?? halt.p4
      }
      let refusal = messages.first { $0.lowercased().hasPrefix("cannot add ") }
      let message =
        if let refusal {
          "SQLite refuses this statement if the table contains rows: \(refusal)"
        } else if Self.refersByDefault(statement) {
          "If the table contains rows, they refer to the default value, and the migration fails unless that key exists at its end"
        } else { String?.none }
      return message.map {
        Diagnostic($0, .warning, at: first.range.lowerBound, in: source)
      }
    }
  }

  /// Whether a statement adds a column with a reference and with a default other than NULL.
  private static func refersByDefault(_ statement: ArraySlice<SQLToken>) -> Bool {
    guard statement.contains(where: { $0.is("references") }) else { return false }
    return zip(statement, statement.dropFirst()).enumerated().contains { index, pair in
      // ON DELETE SET DEFAULT declares no default.
      guard pair.1.is("default"), !pair.0.is("set") else { return false }
      let value = statement.dropFirst(index + 2).first { !$0.is(sign: "(") }
      return value?.is("null") == false
    }
  }

  /// Returns the offset of the last statement that creates the view or trigger; nil if there is none.
  func offset(ofCreated kind: StaticString, _ name: String) -> Int? {
    let statement = statements.last { statement in
      var rest = statement.prefix(9)
      guard rest.popFirst()?.is("create") == true, rest.popFirst()?.is(kind) == true else {
        return false
      }
      if rest.first?.is("if") == true { rest = rest.dropFirst(3) }
      if rest.dropFirst().first?.is(sign: ".") == true { rest = rest.dropFirst(2) }
      return rest.first.map { String(decoding: $0.content, as: UTF8.self).lowercased() }
        == name.lowercased()
    }
    return statement?.first?.range.lowerBound
  }

  static func temporary(_ name: String, at offset: Int, in source: SourceText) -> Diagnostic {
    Diagnostic(
      "\(name) is temporary: it is lost when the connection closes, but a migration runs only once; create it in the program, or"
        + " drop it at the end of the migration", at: offset, in: source)
  }
}

/// A folder with the migrations of a database that a program attaches under the name of the folder.
package struct AttachedFolder: Sendable {
  let name: String
  let folder: URL
  let migrations: [MigrationFile]

  /// Creates a description of a folder; nil if SQLite reserves its name, or no Swift type can have that name.
  init?(_ name: String, _ folder: URL, _ migrations: [MigrationFile]) {
    guard !["main", "temp"].contains(name.lowercased()), let label = name.propertyLabel,
      !ReservedNames.typesOfSteps.contains(label.capitalizedFirst)
    else { return nil }
    self.name = name
    self.folder = folder
    self.migrations = migrations
  }

  /// The name of the type that contains the migrations.
  var typeName: String { (name.propertyLabel ?? name).capitalizedFirst.escaped }
}
