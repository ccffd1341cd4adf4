/// The annotations above a query.
struct QueryParts {
  typealias Placed = QueryText.Placed

  private let annotations: [Annotation]
  private(set) var name: Placed<String>?
  private(set) var forms: [Placed<QueryText.Form>] = []
  private(set) var parameters: [String: Placed<TypeText>] = [:]
  private(set) var columns: [String: Placed<TypeText>] = [:]
  private(set) var row: Placed<String>?
  var embeds: [QueryText.Embed] = []
  var children: [QueryText.Children] = []
  private(set) var sharesRow = false
  private(set) var warnsOfScans: Bool?
  private(set) var problems: [(message: String, offset: Int)] = []

  init(_ annotations: [Annotation]) { self.annotations = annotations }

  /// Whether there is a `@query` annotation, even if its name is invalid.
  var hasQuery: Bool { annotations.contains { $0.word == .query } }

  mutating func read() {
    for annotation in annotations {
      switch annotation.word {
      case .query: readQuery(annotation)
      case .param: readType(annotation, \.parameters, "-- @param name: Type")
      case .column: readType(annotation, \.columns, "-- @column name: Type")
      case .row: readRow(annotation)
      case .embed: readEmbeds(annotation)
      case .children: readChildren(annotation)
      case .warn, .allow:
        guard annotation.text == "scans" else {
          problem(
            "@\(annotation.word.rawValue) must be followed by \"scans\"", annotation.textOffset)
          continue
        }
        warnsOfScans = annotation.word == .warn
      default:
        problem(
          "@\(annotation.word.rawValue) belongs in \(Declarations.fileName)", annotation.offset)
      }
    }
  }

  mutating func problem(_ message: String, _ offset: Int) {
    problems.append((message, offset))
  }

  private mutating func readQuery(_ annotation: Annotation) {
    let (name, value, offset) = annotation.parts
    guard self.name == nil else {
      return problem("this query has two names", annotation.offset)
    }
    guard name.isSwiftName else {
      return problem(
        name.isEmpty
          ? "@query needs a name: write \"-- @query name\""
          : "\"\(name)\" cannot be the name of a function in Swift", annotation.textOffset)
    }
    if name.first?.isUppercase == true {
      problem(
        "\(name) is the name of a function: begin it with a lowercase letter", annotation.textOffset
      )
    }
    for function in [name, name.behind("sync")] where ReservedNames.functions.contains(function) {
      problem(
        "connections or queues already have a member named \(function)", annotation.textOffset)
    }
    self.name = Placed(value: name, offset: annotation.textOffset)
    guard let value else { return }
    var position = offset
    for part in value.split(separator: ",", omittingEmptySubsequences: false) {
      let word = part.trimmed
      let place = position + part.blanks
      position += part.utf8.count + 1
      guard let form = QueryText.Form(rawValue: word) else {
        let all = QueryText.Form.allCases.map(\.rawValue)
        let hint =
          nearest(to: word, among: all).map { "did you mean \($0)?" }
          ?? "expected one of: \(all.joined(separator: ", "))"
        problem("there is no result form \"\(word)\"; \(hint)", place)
        continue
      }
      if forms.contains(where: { $0.value == form }) { problem("\(word) is repeated", place) }
      forms.append(Placed(value: form, offset: place))
    }
  }

  private mutating func readType(
    _ annotation: Annotation, _ types: WritableKeyPath<Self, [String: Placed<TypeText>]>,
    _ usage: String
  ) {
    let (name, value, offset) = annotation.parts
    guard let value, !name.isEmpty else {
      return problem(
        "@\(annotation.word.rawValue) must have the form \"\(usage)\"", annotation.offset)
    }
    guard let type = TypeText(parsing: value) else {
      return problem("\"\(value)\" is not a type in Swift", offset)
    }
    if let message = type.missingRepresentation { return problem(message, offset) }
    let key = name.hasPrefix(":") ? String(name.dropFirst()) : name
    guard self[keyPath: types][key] == nil else {
      return problem("@\(annotation.word.rawValue) \(key) is repeated", annotation.textOffset)
    }
    self[keyPath: types][key] = Placed(value: type, offset: annotation.textOffset)
  }

  private mutating func readRow(_ annotation: Annotation) {
    guard row == nil else { return problem("@row is repeated", annotation.offset) }
    let (name, value, offset) = annotation.parts
    guard name.isSwiftName else {
      return problem(
        name.isEmpty
          ? "@row needs a name: write \"-- @row Name\""
          : "\"\(name)\" cannot be the name of a struct in Swift", annotation.textOffset)
    }
    refuseStruct(name, annotation.textOffset)
    if let value, value != "shared" {
      problem("only the word shared can follow the name of a row", offset)
    }
    sharesRow = value != nil
    row = Placed(value: name, offset: annotation.textOffset)
  }

  /// Reports a name that no generated struct can have.
  mutating func refuseStruct(_ name: String, _ offset: Int) {
    if name.first?.isLowercase == true {
      problem("\(name) is the name of a struct: begin it with an uppercase letter", offset)
    }
    if ReservedNames.types.contains(name) {
      problem("a type named \(name) already exists", offset)
    }
  }
}
