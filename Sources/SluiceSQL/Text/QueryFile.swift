import Sluice

/// A parsed file with queries.
package struct QueryFile: Sendable {
  let source: SourceText
  let queries: [QueryText]
  /// The diagnostics so far.
  package private(set) var diagnostics: [Diagnostic]

  package init(_ source: SourceText) {
    self.source = source
    var reader = QueryReading(source)
    reader.read()
    queries = reader.queries
    diagnostics = reader.diagnostics
  }

  /// The names of the queries, in order.
  package var names: [String] { queries.map(\.name.value) }

  /// The names of structs that one of the file's queries declares as shared with other files.
  var sharedRows: Set<String> {
    Set(queries.flatMap(\.sharedStructs))
  }
}

/// The parser of a file with queries.
struct QueryReading {
  let source: SourceText
  private(set) var queries: [QueryText] = []
  var diagnostics: [Diagnostic] = []

  init(_ source: SourceText) { self.source = source }

  mutating func read() {
    if let offset = source.text.utf8.enumerated().first(where: { $0.element == 0 })?.offset {
      return complain("the file contains a NUL", offset)
    }
    let tokens = SQLToken.tokens(of: source.text)
    // Without this diagnostic, the queries after an unclosed comment would be missing silently.
    if let problem = source.unclosedComment(behind: tokens) { return diagnostics.append(problem) }
    var end = 0
    for statement in SQLToken.statements(tokens) {
      let body = statement.last?.is(sign: ";") == true ? statement.dropLast() : statement
      guard let first = body.first, let last = body.last else {
        let semicolon = statement.last?.range ?? end..<end
        refuseAnnotations(end..<semicolon.lowerBound)
        end = semicolon.upperBound
        continue
      }
      let comments = CommentBlock(source, end..<first.range.lowerBound, &diagnostics)
      refuseAnnotations(inside: body)
      read(comments, Array(body), first.range.lowerBound..<last.range.upperBound)
      end = (statement.last ?? last).range.upperBound
    }
    // Annotations after the last statement of the file belong to no statement.
    refuseAnnotations(end..<source.text.utf8.count)
    refuseSecondNames()
  }

  /// Reports annotations that are not followed by a statement.
  private mutating func refuseAnnotations(_ range: Range<Int>) {
    let comments = CommentBlock(source, range, &diagnostics)
    guard let annotation = comments.annotations.first else { return }
    complain("no query follows this @\(annotation.word.rawValue)", annotation.offset)
  }

  mutating func complain(_ message: String, _ offset: Int) {
    diagnostics.append(Diagnostic(message, at: offset, in: source))
  }

  private mutating func read(_ comments: CommentBlock, _ tokens: [SQLToken], _ range: Range<Int>) {
    var parts = QueryParts(comments.annotations)
    parts.read()
    for (message, offset) in parts.problems { complain(message, offset) }
    guard let name = parts.name else {
      if !parts.hasQuery {
        complain(
          "this query has no name: write \"-- @query name\" in a line above it", range.lowerBound)
      }
      return
    }
    queries.append(
      QueryText(
        name: name, forms: parts.forms, parameters: parts.parameters, columns: parts.columns,
        row: parts.row, embeds: parts.embeds, children: parts.children, sharesRow: parts.sharesRow,
        warnsOfScans: parts.warnsOfScans,
        documentation: comments.documentation,
        sql: source[range], offset: range.lowerBound, tokens: tokens))
  }

  private mutating func refuseAnnotations(inside tokens: ArraySlice<SQLToken>) {
    for (token, next) in zip(tokens, tokens.dropFirst()) {
      let gap = token.range.upperBound..<next.range.lowerBound
      guard gap.count > 3 else { continue }
      var ignored: [Diagnostic] = []
      for annotation in CommentBlock(source, gap, &ignored, startsLine: true).annotations {
        complain(
          "@\(annotation.word.rawValue) is inside a query: move it above the first line",
          annotation.offset)
      }
    }
  }

  private mutating func refuseSecondNames() {
    var owners: [String: QueryText] = [:]
    for query in queries {
      let name = query.name.value
      if let (function, other) = query.twin(in: owners) {
        let line = source.text.place(at: other.name.offset).line
        complain(
          other.name.value == name
            ? "two queries are named \(name): the first is in line \(line)"
            : "\(name) and \(other.name.value) in line \(line) both define the function \(function)",
          query.name.offset)
      }
      for function in query.functions where owners[function] == nil { owners[function] = query }
    }
  }
}
