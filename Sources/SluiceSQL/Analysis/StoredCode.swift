import Sluice

/// The views and triggers of a database, which SQLite compiles only when a statement uses them.
struct StoredCode {
  struct Problem {
    let kind: StaticString
    let name: String
    let reason: String

    var message: String { "in \(kind) \(name): \(reason)" }
  }

  private let connection: Connection
  /// The possible table-valued functions: lowercase names before parentheses in views and triggers.
  private let tableFunctions: Set<String>

  init(_ connection: Connection) throws {
    self.connection = connection
    let texts = try connection.query(
      .column(.string), sql: "SELECT sql FROM main.sqlite_schema WHERE type IN ('view', 'trigger')")
    tableFunctions = Set(texts.flatMap { Self.calls(in: SQLToken.tokens(of: $0)) })
  }

  private static func calls(in tokens: [SQLToken]) -> [String] {
    tokens.indices.dropLast().compactMap { index in
      guard tokens[index + 1].is(sign: "("), tokens[index].kind != .sign else { return nil }
      // After INTO, parentheses after the table's name contain columns, not arguments.
      let isQualified = index > 1 && tokens[index - 1].is(sign: ".")
      let before = index - (isQualified ? 3 : 1)
      guard before < 0 || !tokens[before].is("into") else { return nil }
      return String(decoding: tokens[index].content, as: UTF8.self)
    }
  }

  /// Returns the problems of views and triggers, and leaves the database unchanged.
  func problems() throws -> [Problem] {
    var reasons: Set<String> = []
    let views = try texts("name", of: "view").compactMap { name in
      reason(against: "SELECT * FROM main.\(name.quotedName)").map {
        Problem(kind: "view", name: name, reason: $0)
      }
    }.filter { reasons.insert($0.reason).inserted }
    // If a view is broken, do not check the triggers: a trigger that uses the view also fails, but is not the cause.
    guard views.isEmpty else { return views }
    return try connection.transaction { _, command in
      command = .rollback
      return try triggerProblems()
    }.value
  }

  /// Returns the problems of the triggers, each checked while the other triggers do not exist.
  ///
  /// Otherwise, the problem could not be assigned to a trigger: preparing a statement compiles all triggers of its
  /// table, and all triggers that these fire.
  private func triggerProblems() throws -> [Problem] {
    let names = try texts("name", of: "trigger")
    let tables = try texts("tbl_name", of: "trigger")
    let creations = try texts("sql", of: "trigger")
    for name in names { try connection.execute(sql: "DROP TRIGGER main.\(name.quotedName)") }
    var problems: [Problem] = []
    for index in names.indices {
      let name = names[index]
      let statements = statements(for: tables[index])
      let before = statements.map { reason(against: $0) }
      // If a trigger cannot be re-created, its SQL is not the SQL that a migration executed. Skip such a trigger.
      guard (try? connection.execute(sql: creations[index])) != nil else { continue }
      let reasons = zip(statements, before).compactMap { $1 == nil ? reason(against: $0) : nil }
      try connection.execute(sql: "DROP TRIGGER main.\(name.quotedName)")
      guard let reason = reasons.first else { continue }
      problems.append(Problem(kind: "trigger", name: name, reason: reason))
    }
    return problems
  }

  /// Returns statements on a table, one for each kind of trigger.
  private func statements(for table: String) -> [String] {
    let name = "main.\(table.quotedName)"
    // If a table cannot be described, its columns are unknown, and there is no UPDATE statement.
    let columns = (try? connection.columns(of: table, database: "main")) ?? []
    let sets = columns.filter { $0.kind == .ordinary }.map(\.name.quotedName)
      .map { "\($0) = \($0)" }.joined(separator: ", ")
    return ["INSERT INTO \(name) DEFAULT VALUES", "DELETE FROM \(name)"]
      + (sets.isEmpty ? [] : ["UPDATE \(name) SET \(sets)"])
  }

  private func texts(_ column: String, of kind: String) throws -> [String] {
    try connection.query(
      .column(.string),
      sql: "SELECT \(column) FROM main.sqlite_schema WHERE type = ? ORDER BY rowid",
      parameters: kind)
  }

  /// Returns the reason why SQLite cannot compile a statement; nil if the schema is not the cause.
  private func reason(against sql: String) -> String? {
    do { _ = try connection.prepare(sql: sql) } catch let error as SQLiteError {
      return isOfProgram(error.message) ? nil : error.message
    } catch {}
    return nil
  }

  private func isOfProgram(_ message: String) -> Bool {
    if message.hasPrefix("no such table"), let name = MissingName(message)?.name {
      return tableFunctions.contains(String(name.split(separator: ".").last ?? "").lowercased())
    }
    return Self.others.contains { message.hasPrefix($0) }
  }

  /// The beginnings of the messages of errors that the schema does not cause.
  ///
  /// The messages concern undeclared objects that the program may add, and statements on views without a matching
  /// trigger.
  private static let others = [
    "no such function", "wrong number of arguments to function", "no such collation",
    "no such module",
    "no such tokenizer", "unsafe use of", "cannot modify ", "not authorized",
  ]
}
