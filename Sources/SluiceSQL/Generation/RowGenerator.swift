/// A generator of structs for rows.
///
/// All generated declarations are nonisolated, because a target can isolate its declarations to the main actor by default.
struct RowGenerator {
  let declarations: Declarations
  private var access: String { declarations.isPublic ? "public " : "" }

  /// Adds each struct once.
  func add(_ uses: [RowUse], to source: inout SwiftSource) {
    var known: Set<String> = []
    for use in uses where known.insert(use.row.name).inserted {
      let all = uses.filter { $0.row.name == use.row.name }
      let whole = all.filter { !$0.isPart }
      source.add()
      source.document([
        whole.isEmpty ? "A part of a row of \(names(all))." : "A row of \(names(whole))."
      ])
      add(use.row, to: &source)
    }
  }

  /// Returns the names of the queries as a list.
  private func names(_ uses: [RowUse]) -> String {
    let names = uses.map { "`\($0.query)`" }.enumerated().filter { index, name in
      uses[..<index].allSatisfy { "`\($0.query)`" != name }
    }.map(\.element)
    return names.count > 1
      ? "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])" : names[0]
  }

  private func add(_ row: RowStruct, to source: inout SwiftSource) {
    source.block("nonisolated \(access)struct \(row.name): Sendable, Hashable, Codable") { source in
      for property in row.properties {
        source.add("\(access)var \(property.label.escaped): \(property.type.swift)")
      }
      if declarations.isPublic { addInitializer(row.properties, to: &source) }
    }
    source.add()
    source.block("nonisolated extension \(row.name)") { source in
      source.document([
        row.hasChildren
          ? "Converts a row to a value whose children are still missing; reads the columns by index."
          : "Converts a row to a value; reads the columns by index."
      ])
      let head = row.hasChildren ? "" : access
      source.block("\(head)static var \(row.converter): RowConverter<Self>") { source in
        source.add("RowConverter { row in")
        source.indented { $0.call("try Self", row.properties.map { $0.reading(from: 0) }) }
        source.add("}")
      }
    }
  }

  private func addInitializer(
    _ properties: [RowStruct.Property], to source: inout SwiftSource
  ) {
    source.add()
    let items = properties.map { "\($0.label.escaped): \($0.type.swift)" }
    source.list("public init", items, " {")
    for property in properties {
      source.add("  self.\(property.label.escaped) = \(property.label.escaped)")
    }
    source.add("}")
  }
}

extension RowStruct {
  /// The name of the static property that converts a row.
  var converter: String { hasChildren ? "converterWithoutChildren" : "converter" }
}

extension RowStruct.Property {
  /// Returns the code that reads the property, labelled, from columns that begin at an index.
  fileprivate func reading(from start: Int) -> SwiftSource.Item {
    switch source {
    case .column(let index): return .line("\(label): \(type.reading(start + index))")
    case .children: return .line("\(label): []")
    case .embedded(let row, let first, let absence):
      let items = row.properties.map { $0.reading(from: first) }
      guard let absence else { return .call("\(label): \(row.name)", items) }
      let tests = absence.map { "row.isNull(at: \(first + $0))" }
      return .optional("\(label): \(tests.joined(separator: " && "))", row.name, items)
    }
  }
}

extension Declarations {
  /// Returns the modules to import for code with these types.
  func imports(for types: [TypeText]) -> [String] {
    // The compiler warns about a public import that is not used.
    var modules = Set((types.contains(where: \.isForeign) ? imports : []) + ["Sluice"])
    if types.contains(where: \.needsFoundation) { modules.insert("Foundation") }
    return modules.sorted().map { "\(isPublic ? "public " : "")import \($0)" }
  }
}

extension RowStruct {
  /// The types of all columns.
  var columnTypes: [TypeText] {
    properties.flatMap { property -> [TypeText] in
      switch property.source {
      case .column: [property.type]
      case .embedded(let row, _, _): row.columnTypes
      case .children: []
      }
    }
  }
}
