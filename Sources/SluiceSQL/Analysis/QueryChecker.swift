import Sluice

/// A checker that prepares queries, and determines their parameters and results.
package struct QueryChecker {
  let schema: CheckedSchema
  var diagnostics: [Diagnostic] = []
  var types: SwiftTypes { SwiftTypes(layout: schema.layout, declarations: schema.declarations) }

  package init(_ schema: CheckedSchema) { self.schema = schema }

  /// Checks all queries of a file, and returns the valid ones, with diagnostics for the others.
  package mutating func check(_ file: QueryFile) -> (
    queries: [CheckedQuery], diagnostics: [Diagnostic]
  ) {
    diagnostics = file.diagnostics
    let queries = withChildren(file.queries.compactMap { check($0, file.source) }, of: file)
    refuseDifferentRows(queries, file.source)
    return (queries, diagnostics.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
  }

  mutating func complain(
    _ message: String, _ offset: Int, _ source: SourceText, _ severity: Diagnostic.Severity = .error
  ) {
    diagnostics.append(Diagnostic(message, severity, at: offset, in: source))
  }

  mutating func check(_ text: QueryText, _ source: SourceText) -> CheckedQuery? {
    let count = diagnostics.count
    if let (message, offset) = StatementRules(text.tokens).problemOfQuery {
      complain(message, offset, source)
      return nil
    }
    let statement: Statement
    do { statement = try schema.connection.prepare(sql: text.sql) } catch {
      refuse(text, source, error)
      return nil
    }
    let checked: CheckedQuery?
    do { checked = try check(text, source, statement) } catch {
      refuse(text, source, error)
      return nil
    }
    let hasErrors = diagnostics[count...].contains { $0.severity == .error }
    return hasErrors ? nil : checked
  }

  private mutating func check(
    _ text: QueryText, _ source: SourceText, _ statement: Statement
  ) throws -> CheckedQuery? {
    let names = statement.columnNames
    let twin = twin(of: text.sql, statement)
    let facts = facts(of: text.sql, statement, twin, text.insertsFullText(schema.layout))
    let parameters = self.parameters(of: text, statement.parameterNames, facts, source)
    let (columns, parts) = try self.columns(
      of: text, names, from: twin ?? statement, facts, source)
    let isReadOnly = try statement.isReadOnly
    let forms = self.forms(of: text, hasRows: !names.isEmpty, isReadOnly, source)
    try warnOfScans(text, source)
    return CheckedQuery(
      text: text, forms: forms, parameters: parameters, columns: columns, parts: parts,
      isReadOnly: isReadOnly, obstacle: names.isEmpty ? nil : facts.obstacle)
  }

  /// Returns the indexes of the columns that may be NULL.
  ///
  /// All other columns are never NULL.
  package func columnsThatCanBeNull(of sql: String) throws -> [Int] {
    let statement = try schema.connection.prepare(sql: sql)
    let results = facts(of: sql, statement, twin(of: sql, statement), false).results
    return results.indices.filter { results[$0].mayBeNull }
  }

  /// Returns the number of program points that the analysis visits for a statement.
  package func work(of sql: String) throws -> Int {
    facts(of: sql, try schema.connection.prepare(sql: sql), nil, false).steps
  }

  /// Returns a SELECT statement for the RETURNING clause of a statement; nil if there is none.
  private func twin(of sql: String, _ statement: Statement) -> Statement? {
    // Only a closed statement throws here, and this statement was just prepared.
    guard statement.columnCount > 0, (try? statement.isReadOnly) == false,
      let text = ReturningText(sql, schema.layout)
    else { return nil }
    for select in text.selects {
      // A SELECT that cannot be compiled provides no information.
      guard let twin = try? schema.connection.prepare(sql: select),
        twin.columnCount == statement.columnCount
      else { continue }
      return twin
    }
    return nil
  }

  private func facts(
    of sql: String, _ statement: Statement, _ twin: Statement?, _ insertsFullText: Bool
  ) -> ProgramFacts {
    var facts = facts(of: sql, statement, insertsFullText)
    if let twin {
      let selected = self.facts(of: twin.sql, twin, false)
      facts.results = selected.results
      facts.obstacle = selected.obstacle
    }
    return facts
  }

  func facts(
    of sql: String, _ statement: Statement, _ insertsFullText: Bool
  ) -> ProgramFacts {
    // If the analysis fails, every column can have any value.
    var unknown = ProgramFacts(results: statement.columnNames.map { _ in .unknown })
    unknown.obstacle = "SQLite does not show the program of the query"
    guard
      let program = try? schema.connection.program(
        of: sql, parameterCount: statement.parameterCount)
    else { return unknown }
    var interpreter = Interpreter(
      program, columnCount: statement.columnCount, layout: schema.layout,
      functions: schema.declarations.catalog)
    interpreter.insertsFullText = insertsFullText
    if let facts = interpreter.run() { return facts }
    unknown.obstacle = interpreter.obstacle ?? "the program of the query is too long"
    return unknown
  }

  private mutating func forms(
    of text: QueryText, hasRows: Bool, _ isReadOnly: Bool, _ source: SourceText
  ) -> [QueryText.Form] {
    guard !text.forms.isEmpty else {
      if hasRows { return [.many] }
      return text.changesRows ? [.changes] : [.nothing]
    }
    for form in text.forms {
      let needsRows = form.value != .changes && form.value != .nothing
      if needsRows != hasRows {
        complain(
          hasRows
            ? "this statement returns rows: its result cannot be \(form.value.rawValue)"
            : "this statement returns no rows: its result must be changes or nothing", form.offset,
          source)
      } else if !isReadOnly, form.value == .live || form.value == .stream {
        complain("a statement that writes cannot be \(form.value.rawValue)", form.offset, source)
      }
    }
    let sizes = text.forms.filter {
      [.many, .one, .optional, .changes, .nothing].contains($0.value)
    }
    if sizes.count > 1 {
      complain(
        "\(sizes[0].value.rawValue) and \(sizes[1].value.rawValue) cannot be combined",
        sizes[1].offset, source)
    }
    return text.forms.map(\.value)
  }

  private mutating func warnOfScans(_ text: QueryText, _ source: SourceText) throws {
    guard text.warnsOfScans ?? schema.declarations.warnsOfScans else { return }
    let plan = try schema.connection.queryPlan(
      sql: text.sql,
      parameters: SQLParameters(
        repeatElement(.null, count: schema.connection.prepare(sql: text.sql).parameterCount)))
    for scan in plan.fullScans {
      complain(
        "full table scan: \(scan.detail); add an index, or \"-- @allow scans\"",
        text.name.offset, source, .warning)
    }
  }
}

extension QueryText {
  /// Whether the statement is an INSERT, UPDATE, DELETE or REPLACE.
  var changesRows: Bool {
    // A statement that begins with WITH contains one of these words later.
    tokens.contains { $0.is("insert") || $0.is("update") || $0.is("delete") || $0.is("replace") }
      && tokens.first.map { first in
        !["create", "drop", "alter", "pragma", "attach", "detach"].contains {
          first.content == Array($0.utf8)
        }
      } == true
  }

  /// Returns whether the statement writes to a full-text table.
  func insertsFullText(_ layout: DatabaseLayout) -> Bool {
    guard let place = tokens.firstIndex(where: { $0.is("into") || $0.is("update") }) else {
      return false
    }
    return tokens[place...].dropFirst().prefix(3).contains { token in
      layout.tables.contains {
        $0.isFullText && Array($0.info.name.lowercased().utf8) == token.content
      }
    }
  }
}
