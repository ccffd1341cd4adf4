import Sluice

extension QueryChecker {
  /// Returns the parameters, ordered by index, with their types.
  mutating func parameters(
    of text: QueryText, _ names: [String?], _ facts: ProgramFacts, _ source: SourceText
  ) -> [CheckedQuery.Parameter] {
    var parameters: [CheckedQuery.Parameter] = []
    var labels: Set<String> = []
    let structs = text.structs.map(\.value) + (text.row == nil ? [text.ownRow] : [])
    let places = ParameterPlaces(text)
    for (index, marked) in names.enumerated() {
      guard let marked, !marked.hasPrefix("?") else {
        complain(
          "parameter \(index + 1) has no name: write \":name\" instead",
          text.offset(ofSign: "?") ?? text.offset, source)
        continue
      }
      let name = String(marked.dropFirst())
      let place = places.offset(of: name)
      guard let label = name.parameterLabel, !structs.contains(label) else {
        complain(
          "\(marked) cannot be the name of a parameter in Swift: rename it", place,
          source)
        continue
      }
      guard labels.insert(label).inserted else {
        complain("two parameters are named \(label) in Swift", place, source)
        continue
      }
      let type = type(of: name, text, facts.parameters[index + 1], places, source)
      parameters.append(.init(name: name, label: label, type: type))
    }
    let known = names.compactMap { $0.map { String($0.dropFirst()) } }
    for (name, type) in text.parameters where !known.contains(name) {
      complain(
        "the query has no parameter :\(name)\(suggestion(for: name, among: known))", type.offset,
        source)
    }
    return parameters
  }

  private mutating func type(
    of name: String, _ text: QueryText, _ use: ParameterUse?, _ places: ParameterPlaces,
    _ source: SourceText
  ) -> TypeText {
    if let annotated = text.parameters[name] {
      refuseElements(of: annotated, source)
      return annotated.value
    }
    let place = places.offset(of: name)
    let isOptional = use?.takesNull == true || places.testForNull(name)
    func made(_ type: TypeText) -> TypeText {
      TypeText(
        type.name, isOptional: isOptional && type.name != "DatabaseValue", as: type.representation)
    }
    if let use, !use.origins.isEmpty {
      switch types.type(of: use.origins) {
      case .type(let type): return made(type)
      case .undeclared(let column, let words):
        let type = example(of: words)
        complain(
          "\(column.table).\(column.column) is declared \(words), which has no Swift type: write"
            + " \"-- @param \(name): \(type)\" above the query, or \"-- @type \(words): \(type)\" in"
            + " \(Declarations.fileName)", place, source)
        return TypeText("DatabaseValue")
      case .mixed, .unknown: break
      }
    } else if let use, let type = SwiftTypes.type(of: use.kinds) {
      return made(type)
    } else if places.match(name) {
      return made(TypeText("String"))
    }
    let example = places.array(name) ? "[Type] as array" : "Type"
    complain(
      "the type of :\(name) is unknown: write \"-- @param \(name): \(example)\" above the query",
      place,
      source)
    return TypeText("DatabaseValue")
  }

  /// Reports an array whose elements have several representations, of which none is chosen.
  private mutating func refuseElements(
    of type: QueryText.Placed<TypeText>, _ source: SourceText
  ) {
    let element = String(type.value.name.dropFirst().dropLast()).replacing("?", with: "")
    guard type.value.representation == "array", type.value.elementRepresentation == nil,
      let representation = Self.representations[element]
    else { return }
    complain(
      "\(element) has no default representation: write for example"
        + " \"[\(element) as \(representation)] as array\"", type.offset, source)
  }

  /// A representation of each Foundation type that has no default.
  private static let representations = [
    "Date": "sqlite", "Decimal": "decimal", "URL": "urlString", "UUID": "uuidString",
  ]
}

extension QueryText {
  func offset(ofSign sign: Unicode.Scalar) -> Int? {
    tokens.first { $0.is(sign: sign) }?.range.lowerBound
  }
}
