import Sluice

extension QueryChecker {
  /// Returns the columns of the result, with their types.
  mutating func columns(
    of text: QueryText, _ names: [String], from statement: Statement, _ facts: ProgramFacts,
    _ source: SourceText
  ) throws -> [CheckedQuery.Column] {
    // Some builds of SQLite cannot report the origins of columns.
    let origins = (try? statement.columnOrigins) ?? []
    let declared = try statement.declaredTypes
    let written = text.writtenColumns
    var columns: [CheckedQuery.Column] = []
    var labels: Set<String> = []
    for (index, name) in names.enumerated() {
      let place = text.offset(ofColumn: index, name, in: written)
      var label = name
      if names.count > 1 || text.row != nil {
        guard let property = name.propertyLabel else {
          complain(
            "column \(index + 1), \(name), cannot be the name of a property: add \"AS name\"",
            place, source)
          continue
        }
        label = property
      }
      guard labels.insert(label).inserted else {
        complain(
          "two columns are named \(label): add \"AS name\" to one of them", place,
          source)
        continue
      }
      let origin = index < origins.count ? origins[index] : nil
      let value = facts.results[index].known(by: origin, declared[index], schema.layout)
      let type = type(of: value, text.columns[name]?.value, name, place, source)
      columns.append(.init(name: name, label: label, type: type))
    }
    for (name, type) in text.columns where !names.contains(name) {
      let hint = nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
      complain("the result has no column \(name)\(hint)", type.offset, source)
    }
    return columns
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
          + " \"-- @column \(name): Type\" above the query, or \"-- @type \(words): Type\" in"
          + " \(Declarations.fileName)", place, source)
    case .mixed, .unknown:
      complain(
        "the type of \(name) is unknown: write \"-- @column \(name): Type?\" above the query",
        place, source)
    }
    return TypeText("DatabaseValue")
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
