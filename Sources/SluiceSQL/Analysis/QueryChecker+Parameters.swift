import Sluice

extension QueryChecker {
  /// The parameters in the order of their indexes, with their types.
  mutating func parameters(
    of text: QueryText, _ names: [String?], _ facts: ProgramFacts, _ source: SourceText
  ) -> [CheckedQuery.Parameter] {
    var parameters: [CheckedQuery.Parameter] = []
    let row = text.row?.value ?? text.ownRow
    for (index, marked) in names.enumerated() {
      guard let marked, !marked.hasPrefix("?") else {
        complain(
          "parameter \(index + 1) has no name: write \":name\" in its place",
          text.offset(ofSign: "?") ?? text.offset, source)
        continue
      }
      let name = String(marked.dropFirst())
      let place = text.offset(ofParameter: name)
      guard let label = name.parameterLabel, label != row else {
        complain(
          "\(marked) cannot be the name of a parameter in Swift: call it something else", place,
          source)
        continue
      }
      guard !parameters.contains(where: { $0.label == label }) else {
        complain("two parameters are called \(label) in Swift", place, source)
        continue
      }
      let type = type(of: name, text, facts.parameters[index + 1], place, source)
      parameters.append(.init(name: name, label: label, type: type))
    }
    let known = names.compactMap { $0.map { String($0.dropFirst()) } }
    for (name, type) in text.parameters where !known.contains(name) {
      let hint = nearest(to: name, among: known).map { "; did you mean \($0)?" } ?? ""
      complain("the query has no parameter :\(name)\(hint)", type.offset, source)
    }
    return parameters
  }

  private mutating func type(
    of name: String, _ text: QueryText, _ use: ParameterUse?, _ place: Int, _ source: SourceText
  ) -> TypeText {
    if let annotated = text.parameters[name] { return annotated.value }
    let isOptional = use?.takesNull == true || text.testsForNull(name)
    func made(_ type: TypeText) -> TypeText {
      TypeText(
        type.name, isOptional: isOptional && type.name != "DatabaseValue", as: type.representation)
    }
    if let use, !use.origins.isEmpty {
      switch types.type(of: use.origins) {
      case .type(let type): return made(type)
      case .undeclared(let column, let words):
        complain(
          "\(column.table).\(column.column) is declared \(words), which no Swift type belongs to: write"
            + " \"-- @param \(name): Type\" above the query, or \"-- @type \(words): Type\" in"
            + " \(Declarations.fileName)", place, source)
        return TypeText("DatabaseValue")
      case .mixed, .unknown: break
      }
    } else if let use, let type = SwiftTypes.type(of: use.kinds) {
      return made(type)
    } else if text.matches(name) {
      return made(TypeText("String"))
    }
    complain(
      "SQL does not say what :\(name) is: write \"-- @param \(name): Type\" above the query", place,
      source)
    return TypeText("DatabaseValue")
  }
}

extension QueryText {
  /// Where a parameter stands first.
  func offset(ofParameter name: String) -> Int {
    places(ofParameter: name).first.map { tokens[$0].range.lowerBound } ?? offset
  }

  func offset(ofSign sign: Unicode.Scalar) -> Int? {
    tokens.first { $0.is(sign: sign) }?.range.lowerBound
  }

  /// The indexes of the marks before the name of a parameter.
  private func places(ofParameter name: String) -> [Int] {
    let bytes = Array(name.lowercased().utf8)
    return tokens.indices.dropLast().filter { index in
      (tokens[index].is(sign: ":") || tokens[index].is(sign: "@") || tokens[index].is(sign: "$"))
        && tokens[index + 1].content.starts(with: bytes)
        && tokens[index].range.upperBound == tokens[index + 1].range.lowerBound
    }
  }

  /// Whether the query asks if a parameter is NULL, so that it is meant to be so at times.
  func testsForNull(_ name: String) -> Bool {
    places(ofParameter: name).contains { place in
      let after = tokens.indices.contains(place + 2) ? tokens[place + 2] : nil
      if after?.is("is") == true || after?.is("isnull") == true || after?.is("notnull") == true {
        return true
      }
      guard place >= 2, tokens[place - 1].is(sign: "(") else { return false }
      return tokens[place - 2].is("coalesce") || tokens[place - 2].is("ifnull")
    }
  }

  /// Whether a full-text table is searched for a parameter.
  func matches(_ name: String) -> Bool {
    places(ofParameter: name).contains { $0 > 0 && tokens[$0 - 1].is("match") }
  }
}
