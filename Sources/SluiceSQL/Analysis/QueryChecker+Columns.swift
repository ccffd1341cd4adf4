import Sluice

extension QueryChecker {
  /// Returns the columns of the result with their types, and the parts of the row that are structs.
  mutating func columns(
    of text: QueryText, _ names: [String], from statement: Statement, _ facts: ProgramFacts,
    _ source: SourceText
  ) throws -> (columns: [CheckedQuery.Column], parts: [EmbeddedPart]) {
    // Some builds of SQLite cannot report the origins of columns.
    let origins = (try? statement.columnOrigins) ?? []
    let declared = try statement.declaredTypes
    let (parts, written) = self.parts(of: text, names, facts, source)
    // The reason has been reported.
    guard parts.count == text.embeds.count else { return ([], []) }
    var columns: [CheckedQuery.Column] = []
    // Each struct has its own names.
    var labels: [Int?: Set<String>] = [:]
    let structs = parts.map(\.embed.structName)
    for (label, place) in parts.map({ ($0.label, $0.embed.name.offset) })
      + text.children.map({ ($0.name.value, $0.name.offset) })
    {
      if !labels[nil, default: []].insert(label).inserted {
        complain("two properties are named \(label)", place, source)
      } else if structs.contains(label) {
        complain("a struct in the row is also named \(label): rename one of them", place, source)
      }
    }
    let isStruct = names.count > 1 || !parts.isEmpty || text.row != nil || !text.children.isEmpty
    for (index, title) in names.enumerated() {
      let part = parts.firstIndex { $0.columns.contains(index) }
      let name = part == nil ? title : title.withoutNumber
      let place = text.offset(ofColumn: index, name, in: written)
      var label = name
      if isStruct {
        guard let property = name.propertyLabel, part != nil || !structs.contains(property) else {
          complain(
            "column \(index + 1), \(name), cannot be the name of a property: add \"AS name\"",
            place, source)
          continue
        }
        label = property
      }
      guard labels[part, default: []].insert(label).inserted else {
        complain(
          "two \(part == nil ? "columns" : "columns of \(parts[part ?? 0].embed.name.value)") are named \(label):"
            + " add \"AS name\" to one of them", place, source)
        continue
      }
      let origin = index < origins.count ? origins[index] : nil
      var value = facts.results[index].known(by: origin, declared[index], schema.layout)
      var key = name
      if let part = part.map({ parts[$0] }) {
        value.mayBeNull = part.mayBeNull[index - part.columns.lowerBound]
        key = "\(part.embed.name.value).\(name)"
      }
      let type = type(of: value, text.columns[key]?.value, key, place, source)
      columns.append(.init(name: name, label: label, type: type))
    }
    refuseUnknownColumns(of: text, names, parts, source)
    return (columns, parts)
  }

  /// Reports annotations of columns that the result does not have.
  private mutating func refuseUnknownColumns(
    of text: QueryText, _ names: [String], _ parts: [EmbeddedPart], _ source: SourceText
  ) {
    let known = names.enumerated().map { index, name in
      let part = parts.first { $0.columns.contains(index) }
      return part.map { "\($0.embed.name.value).\(name.withoutNumber)" } ?? name
    }
    for (name, type) in text.columns where !known.contains(name) {
      let qualified = known.filter { $0.hasSuffix(".\(name)") }
      let hint = suggestion(for: qualified.first ?? name, among: known)
      complain("the result has no column \(name)\(hint)", type.offset, source)
    }
  }

  private mutating func type(
    of value: AbstractValue, _ annotated: TypeText?, _ name: String, _ place: Int,
    _ source: SourceText
  ) -> TypeText {
    if let annotated { return annotated }
    switch types.type(of: value) {
    case .type(let type):
      let isOptional = value.mayBeNull && type.name != "DatabaseValue"
      return TypeText(type.name, isOptional: isOptional, as: type.representation)
    case .undeclared(let column, let words):
      complain(
        "\(column.table).\(column.column) is declared \(words), which has no Swift type: write"
          + " \"-- @column \(name): \(example(of: words))\" above the query, or \"-- @type \(words): \(example(of: words))\" in"
          + " \(Declarations.fileName)", place, source)
    case .mixed, .unknown:
      complain(
        "the type of \(name) is unknown: write \"-- @column \(name): Type?\" above the query",
        place, source)
    }
    return TypeText("DatabaseValue")
  }
}

extension QueryChecker {
  /// Returns the Swift type that a message suggests for a declared type.
  func example(of words: String) -> String {
    ["DATE", "TIME"].contains(where: words.uppercased().contains) ? "Date as sqlite" : "Type"
  }
}

extension AbstractValue {
  /// Returns this value, completed from SQLite's description of the column if the program revealed nothing.
  ///
  /// For example, the program reveals nothing about the value of a column in a virtual table.
  fileprivate func known(
    by origin: ColumnOrigin?, _ declared: String?, _ layout: DatabaseLayout
  ) -> AbstractValue {
    guard origins.isEmpty, expected.isEmpty else { return self }
    var value = self
    if let declared, origin.map({ layout.table($0.table, in: $0.database) == nil }) ?? true {
      value.expected = DeclaredType(declared).kinds
    } else if let origin {
      value.origins = [
        ColumnReference(database: origin.database, table: origin.table, column: origin.column)
      ]
      value.isComputed = false
    }
    return value
  }
}
