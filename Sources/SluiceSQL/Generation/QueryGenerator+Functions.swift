extension QueryGenerator {
  /// Adds the functions of a connection, which execute the queries.
  func addFunctions(to source: inout SwiftSource) {
    let queries = queries.filter { !$0.isOnlyStream }
    guard !queries.isEmpty else { return }
    source.add()
    source.block("nonisolated extension Connection") { source in
      for (index, query) in queries.enumerated() {
        if index > 0 { source.add() }
        source.document(documentation(of: query))
        if query.size == .changes { source.add("@discardableResult") }
        source.list(
          "\(access)func \(query.text.name.value.escaped)", query.arguments,
          " throws\(query.arrow) {")
        source.indented { addBody(of: query, to: &$0) }
        source.add("}")
      }
    }
  }

  private func addBody(of query: CheckedQuery, to source: inout SwiftSource) {
    let bound = query.bound
    switch query.size {
    case .many, .optional: addFetch(of: query, "", to: &source)
    case .one:
      addFetch(of: query, "let row = ", to: &source)
      source.block("guard let row else") { source in
        source.list(
          "throw SQLiteError",
          [
            ".notFound", "\"\(query.text.name.value) found no row\"",
            "sql: \(query.statement)",
          ], "")
      }
      source.add("return row")
    case .changes:
      source.list("try self.execute", bound, "")
      source.add("return self.changes")
    default: source.list("try self.execute", bound, "")
    }
  }

  /// Adds the code that fetches the rows, or the first row.
  private func addFetch(of query: CheckedQuery, _ head: String, to source: inout SwiftSource) {
    guard query.children.isEmpty else { return addFamily(of: query, head, to: &source) }
    let method = query.size == .many ? "query" : "first"
    source.list("\(head)try self.\(method)", [query.converter] + query.bound, "")
  }

  private func documentation(of query: CheckedQuery) -> [String] {
    let text = query.text.documentation
    return (text.isEmpty ? [query.summary] : text) + ["", "```sql"]
      + query.text.sql.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
        String($0.trimmingEnd)
      } + ["```"]
  }

  /// Adds the functions of queues and pools, which call the functions of a connection.
  func addForms(to source: inout SwiftSource) {
    for isReadOnly in [true, false] {
      let queries = queries.filter { $0.isReadOnly == isReadOnly && !$0.isOnlyStream }
      guard !queries.isEmpty else { continue }
      source.add()
      source.block("nonisolated extension \(isReadOnly ? "DatabaseReader" : "DatabaseWriter")") {
        source in
        for (index, query) in queries.enumerated() {
          if index > 0 { source.add() }
          addForms(of: query, to: &source)
        }
      }
    }
  }

  private func addForms(of query: CheckedQuery, to source: inout SwiftSource) {
    let name = query.text.name.value
    source.document([
      "See `Connection.\(query.signature)`; suspends the task instead of blocking a thread."
    ])
    if query.size == .changes { source.add("@discardableResult") }
    source.list("\(access)func \(name.escaped)", query.arguments, " async throws\(query.arrow) {")
    let awaiting = query.isReadOnly ? "self.read" : "self.perform"
    source.indented { addCall(of: query, in: "try await \(awaiting)", to: &$0) }
    source.add("}")
    source.add()
    source.document(["See `Connection.\(query.signature)`; blocks the calling thread."])
    source.add("@available(*, noasync, message: \"Use \(name), which does not block the thread\")")
    if query.size == .changes { source.add("@discardableResult") }
    source.list(
      "\(access)func \(name.behind("sync"))", query.arguments, " throws\(query.arrow) {")
    let blocking = query.isReadOnly ? "self.syncRead" : "self.sync"
    source.indented { addCall(of: query, in: "try \(blocking)", to: &$0) }
    source.add("}")
  }

  /// Adds a call of a connection's function, in a closure that receives the connection.
  private func addCall(of query: CheckedQuery, in head: String, to source: inout SwiftSource) {
    let call = "try $0.\(query.text.name.value.escaped)"
    let line = "\(head) { \(call)(\(query.passed.joined(separator: ", "))) }"
    if source.fits(line) { return source.add(line) }
    source.block(head) { $0.list(call, query.passed, "") }
  }

  /// Adds functions that stream rows on demand, or publish the result after each change.
  func addStreams(to source: inout SwiftSource) {
    let streams = queries.filter { $0.forms.contains(.stream) || $0.forms.contains(.live) }
    guard !streams.isEmpty else { return }
    source.add()
    source.block("nonisolated extension DatabaseReader") { source in
      var isFirst = true
      for query in streams {
        for form in query.forms where form == .stream || form == .live {
          if !isFirst { source.add() }
          isFirst = false
          addStream(of: query, isLive: form == .live, to: &source)
        }
      }
    }
  }

  /// Adds the function that returns a live value, if the value before the first result is obvious.
  private func addLiveValue(of query: CheckedQuery, to source: inout SwiftSource) {
    guard query.size == .many || query.size == .optional else { return }
    let isMany = query.size == .many
    source.add()
    source.document([
      "Returns a live value with the result of `Connection.\(query.signature)`; it is \(isMany ? "empty" : "nil") at first."
    ])
    source.add("@MainActor")
    source.list(
      "\(access)func \(query.name.behind("live"))", query.arguments,
      " -> LiveValue<\(query.result)> {")
    source.indented {
      addCall(of: query, in: "self.live(initial: \(isMany ? "[]" : "nil"))", to: &$0)
    }
    source.add("}")
  }

  private func addStream(of query: CheckedQuery, isLive: Bool, to source: inout SwiftSource) {
    let name = query.text.name.value
    if isLive {
      source.document([
        "Publishes the result of `Connection.\(query.signature)`, now and after each commit that may have changed it."
      ])
      source.list(
        "\(access)func \(name.behind("observe"))", query.arguments,
        " -> ValuePublisher<\(query.result)> {")
      source.indented { addCall(of: query, in: "self.observe", to: &$0) }
    } else {
      source.document(
        query.isOnlyStream
          ? documentation(of: query)
          : ["Returns the rows of `Connection.\(query.signature)`, on demand."])
      source.list(
        "\(access)func \(name.behind("stream"))", query.arguments,
        " -> RowStream<\(query.element)> {")
      source.indented { $0.list("self.rows", [query.converter] + query.bound, "") }
    }
    source.add("}")
    if isLive { addLiveValue(of: query, to: &source) }
  }
}

extension CheckedQuery {
  /// The type of a row.
  fileprivate var element: String { rowName ?? columns.first?.type.swift ?? "Void" }

  fileprivate var result: String {
    switch size {
    case .many: "[\(element)]"
    // If the column can be NULL, the outer optional stands for a missing row, and the inner one for NULL.
    case .optional: "\(element)?"
    case .one: element
    case .changes: "Int"
    default: "Void"
    }
  }

  fileprivate var arrow: String { size == .nothing ? "" : " -> \(result)" }

  fileprivate var arguments: [String] {
    allParameters.map { "\($0.label.escaped): \($0.type.swift)" }
  }

  var statement: String { "Statements.\(text.name.value.escaped)" }

  /// The arguments of the call that runs the query: the SQL, followed by the bound values.
  var bound: [String] {
    let values = parameters.map { $0.type.binding($0.label.escaped) }
    guard let first = values.first else { return ["sql: \(statement)"] }
    return ["sql: \(statement)", "parameters: \(first)"] + values.dropFirst()
  }

  var converter: String {
    row.map { "\($0.name).\($0.converter)" } ?? columns.first?.type.column ?? ""
  }

  /// The name of the generated function with its argument labels.
  fileprivate var signature: String {
    "\(text.name.value)(\(allParameters.map { "\($0.label):" }.joined()))"
  }

  /// The arguments, each passed under its own label.
  fileprivate var passed: [String] {
    allParameters.map { "\($0.label): \($0.label.escaped)" }
  }

  fileprivate var summary: String {
    switch size {
    case .many: "Returns all rows of the query `\(text.name.value)`."
    case .one: "Returns the first row of the query `\(text.name.value)`."
    case .optional:
      "Returns the first row of the query `\(text.name.value)`, or nil if there is none."
    case .changes:
      "Executes the statement `\(text.name.value)`, and returns the number of changed rows."
    default: "Executes the statement `\(text.name.value)`."
    }
  }
}

extension Substring {
  /// The text without trailing white space.
  fileprivate var trimmingEnd: Substring {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
