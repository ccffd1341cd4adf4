import Sluice

/// The annotations in the file `Declarations.sql`.
///
/// The annotations declare the functions, collations and tokenizers that the program adds to SQLite, and the
/// Swift types of columns.
package struct Declarations: Sendable {
  package static let fileName = "Declarations.sql"

  /// The Swift types of single columns, keyed by `table.column` in lowercase.
  private(set) var columns: [String: TypeText] = [:]
  /// The Swift types for columns with a declared type, keyed by the declared type in uppercase.
  private(set) var types: [String: TypeText] = [:]
  private(set) var functions: [DeclaredFunction] = []
  private(set) var collations: [String] = []
  private(set) var tokenizers: [String] = []
  private(set) var imports: [String] = []
  private(set) var isPublic = false
  private(set) var warnsOfScans = false
  /// The format in which the schema is drawn beside the generated code; nil if it is not drawn.
  package private(set) var diagram: DiagramFormat?
  /// The offsets of declared columns that have not been found in the schema yet.
  private(set) var places: [String: Int] = [:]
  let source: SourceText?
  package private(set) var diagnostics: [Diagnostic] = []

  /// Creates empty declarations.
  package init() { source = nil }

  package init(_ source: SourceText) {
    self.source = source
    let tokens = SQLToken.tokens(of: source.text)
    let comments = CommentBlock(
      source, 0..<source.text.utf8.count, &diagnostics, startsLine: true)
    if let problem = source.unclosedComment(behind: tokens) { diagnostics.append(problem) }
    if let token = tokens.first {
      complain("this file can contain only comments with declarations", token.range.lowerBound)
    }
    for annotation in comments.annotations { read(annotation) }
  }

  private mutating func complain(_ message: String, _ offset: Int) {
    guard let source else { return }
    diagnostics.append(Diagnostic(message, at: offset, in: source))
  }

  private mutating func read(_ annotation: Annotation) {
    let text = annotation.text
    switch annotation.word {
    case .type: readType(annotation)
    case .function, .aggregate: readFunction(annotation)
    case .collation where !text.isEmpty: collations.append(text)
    case .tokenizer where text.isSwiftName: tokenizers.append(text)
    case .import
    where text.split(separator: ".").allSatisfy({ String($0).isSwiftName }) && !text.isEmpty:
      imports.append(text)
    case .access where text == "public" || text == "internal": isPublic = text == "public"
    case .warn where text == "scans": warnsOfScans = true
    case .diagram where DiagramFormat(rawValue: text) != nil:
      diagram = DiagramFormat(rawValue: text)
    case .collation, .tokenizer, .import:
      complain("@\(annotation.word.rawValue) needs a name", annotation.offset)
    case .access: complain("@access must be \"public\" or \"internal\"", annotation.textOffset)
    case .diagram:
      complain(
        "@diagram must be followed by \"svg\", \"mermaid\" or \"dot\"", annotation.textOffset)
    case .warn: complain("@warn must be followed by \"scans\"", annotation.textOffset)
    default: complain("@\(annotation.word.rawValue) belongs above a query", annotation.offset)
    }
  }

  private mutating func readType(_ annotation: Annotation) {
    let (name, value, offset) = annotation.parts
    guard let value, !name.isEmpty else {
      return complain(
        "@type must have the form \"-- @type table.column: Type\" or \"-- @type WORD: Type\"",
        annotation.offset)
    }
    guard let type = TypeText(parsing: value) else {
      return complain("\"\(value)\" is not a type in Swift", offset)
    }
    if let message = type.missingRepresentation { return complain(message, offset) }
    guard !type.isOptional else {
      return complain("the schema decides whether a value is optional: remove the ?", offset)
    }
    let isColumn = name.contains(".")
    let key = isColumn ? name.lowercased() : DeclaredType(name).name
    let isNew =
      isColumn
      ? columns.updateValue(type, forKey: key) == nil : types.updateValue(type, forKey: key) == nil
    if !isNew { complain("the type of \(name) is declared twice", annotation.textOffset) }
    if isColumn { places[key] = annotation.textOffset }
  }

  private mutating func readFunction(_ annotation: Annotation) {
    guard let function = DeclaredFunction(annotation) else {
      return complain(
        "@\(annotation.word.rawValue) must have the form \"-- @\(annotation.word.rawValue) name(Type): Type\""
          + " or \"-- @\(annotation.word.rawValue) name(1)\"", annotation.offset)
    }
    functions.append(function)
  }

  /// Reports declared columns that do not exist.
  mutating func check(_ layout: DatabaseLayout) {
    let known = layout.tables.flatMap { table in
      table.columns.map { "\(table.info.name).\($0.name)" }
    }
    let lowered = Set(known.map { $0.lowercased() })
    for (column, offset) in places.sorted(by: { $0.value < $1.value })
    where !lowered.contains(column) {
      complain("there is no column \(column)\(suggestion(for: column, among: known))", offset)
    }
  }

  var catalog: FunctionCatalog {
    var catalog = FunctionCatalog()
    for function in functions {
      let result = AbstractValue.computed(
        function.result?.kinds ?? [], mayBeNull: function.result?.isOptional ?? true, possible: .any
      )
      catalog.declared[function.name.lowercased()] = (
        result: result, arguments: function.arguments.map(\.kinds)
      )
    }
    return catalog
  }
}

/// The format of a diagram of the schema.
package enum DiagramFormat: String, CaseIterable, Sendable {
  case svg, mermaid, dot

  /// The name of the file beside the generated code.
  package var file: String {
    switch self {
    case .svg: "Schema.svg"
    case .mermaid: "Schema.mmd"
    case .dot: "Schema.dot"
    }
  }
}

/// A function that the program adds to SQLite.
struct DeclaredFunction: Sendable {
  let name: String
  let isAggregate: Bool
  /// The number of arguments; -1 for any number.
  let arity: Int
  let arguments: [TypeText]
  let result: TypeText?

  /// Creates a function from `name(Type, Type): Type` or `name(2)`; nil for any other text.
  init?(_ annotation: Annotation) {
    let text = annotation.text
    guard let opening = text.firstIndex(of: "("), let closing = text.lastIndex(of: ")"),
      opening < closing
    else { return nil }
    name = text[..<opening].trimmed
    guard name.isSwiftName else { return nil }
    isAggregate = annotation.word == .aggregate
    let inside = text[text.index(after: opening)..<closing].trimmed
    let behind = text[text.index(after: closing)...].trimmed
    if behind.isEmpty {
      result = nil
    } else {
      guard behind.hasPrefix(":"), let type = TypeText(parsing: behind.dropFirst().trimmed) else {
        return nil
      }
      result = type
    }
    if let count = Int(inside) {
      guard (-1...100).contains(count) else { return nil }
      arity = count
      arguments = []
      return
    }
    let types =
      inside.isEmpty ? [] : inside.split(separator: ",").map { TypeText(parsing: $0.trimmed) }
    guard !types.contains(where: { $0 == nil }) else { return nil }
    arguments = types.compactMap(\.self)
    arity = arguments.count
  }
}

extension TypeText {
  /// The storage classes of the type; empty if they are unknown.
  var kinds: AbstractValue.Kinds {
    switch name {
    case "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
      "Bool":
      .integer
    case "Double", "Float": .real
    case "String": .text
    case "[UInt8]", "Data": .blob
    default: []
    }
  }
}
