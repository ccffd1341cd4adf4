/// Queries whose rows contain the rows of other queries.
extension QueryChecker {
  /// Returns the queries with their children; leaves out queries whose children are invalid.
  mutating func withChildren(_ queries: [CheckedQuery], of file: QueryFile) -> [CheckedQuery] {
    var known: [String: CheckedQuery?] = [:]
    return queries.compactMap { withChildren($0, [], queries, file, &known) }
  }

  /// Returns a query with its children.
  ///
  /// `parents` contains the names of the queries whose rows contain those of this query.
  private mutating func withChildren(
    _ query: CheckedQuery, _ parents: [String], _ queries: [CheckedQuery], _ file: QueryFile,
    _ known: inout [String: CheckedQuery?]
  ) -> CheckedQuery? {
    guard !query.text.children.isEmpty else { return query }
    if let known = known[query.name] { return known }
    let count = diagnostics.count
    refuseForms(of: query, file.source)
    guard !query.columns.isEmpty else { return nil }
    var whole = query
    var isValid = true
    for children in query.text.children {
      let (name, place) = (children.query.value, children.query.offset)
      guard name != query.name, !parents.contains(name) else {
        complain(
          "\(name) contains the rows of \(query.name): children cannot be recursive", place,
          file.source)
        continue
      }
      guard file.queries.contains(where: { $0.name.value == name }) else {
        complain(
          "there is no query \(name) in this file"
            + suggestion(for: name, among: file.queries.map(\.name.value)), place, file.source)
        continue
      }
      // The diagnostics of an invalid query have been reported.
      guard let child = queries.first(where: { $0.name == name }),
        let child = withChildren(child, parents + [query.name], queries, file, &known)
      else {
        isValid = false
        continue
      }
      add(children, child, to: &whole, file.source)
    }
    let result = isValid && diagnostics.count == count ? whole : nil
    known[query.name] = .some(result)
    return result
  }

  private mutating func refuseForms(of query: CheckedQuery, _ source: SourceText) {
    if query.columns.isEmpty {
      complain(
        "this statement returns no rows: remove @children", query.text.children[0].name.offset,
        source)
    }
    for form in query.text.forms where form.value == .stream {
      complain("rows with children cannot be streamed", form.offset, source)
    }
  }

  private mutating func add(
    _ children: QueryText.Children, _ child: CheckedQuery, to query: inout CheckedQuery,
    _ source: SourceText
  ) {
    let name = child.name
    guard child.isReadOnly, child.size == .many, !child.isOnlyStream else {
      return complain(
        "children come from a query that reads many rows: \(name) "
          + (child.isReadOnly ? "has another result" : "writes"), children.query.offset, source)
    }
    guard child.rowName != nil else {
      return complain(
        "a row of \(name) is a single value: add the key of the parent to its columns",
        children.query.offset, source)
    }
    if ResultText(child.text.tokens)?.hasLimit == true {
      return complain(
        "\(name) has a LIMIT, which would apply to the children of all rows together",
        children.query.offset, source)
    }
    let written = children.parameter.value.drop { $0 == ":" }
    guard
      let keys = child.parameters.first(where: { $0.name == written || $0.label == written })
    else {
      return complain(
        "\(name) has no parameter :\(written)"
          + suggestion(for: String(written), among: child.parameters.map(\.name)),
        children.parameter.offset, source)
    }
    guard let key = self.key(children.key, of: query, source),
      let childKey = self.key(children.childKey, of: child, source)
    else { return }
    guard key.type.name == childKey.type.name else {
      return complain(
        "\(children.childKey.value) of \(name) is \(childKey.type.name), but \(children.key.value) is"
          + " \(key.type.name): keys must have the same type", children.childKey.offset, source)
    }
    guard keys.type.isArray(of: childKey.type) else {
      return complain(
        "the parameter \(keys.name) of \(name) receives the keys of all rows: write \"-- @param \(keys.name):"
          + " \(childKey.type.array)\" above \(name)", children.parameter.offset, source)
    }
    let added = CheckedQuery.Children(
      label: children.name.value, query: child, keys: keys.label, key: key.code,
      childKey: childKey.code, isExact: key.type.hasExactEquality)
    for parameter in added.parameters {
      if let own = query.allParameters.first(where: { $0.label == parameter.label }),
        own.type != parameter.type
      {
        return complain(
          "the parameter \(own.label) is \(own.type.swift) in \(query.name), and"
            + " \(parameter.type.swift) in \(name)", children.query.offset, source)
      }
      // In the function of the query, the parameter would hide the struct.
      if query.rowName == parameter.label {
        return complain(
          "the parameter \(parameter.label) of \(name) has the name of the row of \(query.name): rename it",
          children.query.offset, source)
      }
    }
    query.children.append(added)
  }

  /// Returns the code and the type of a column in a row; nil if there is no such column.
  private mutating func key(
    _ name: QueryText.Placed<String>, of query: CheckedQuery, _ source: SourceText
  ) -> (code: String, type: TypeText)? {
    let names = query.columns.indices.map { index in
      (query.part(of: index).map { "\($0.embed.name.value)." } ?? "") + query.columns[index].name
    }
    let index =
      names.firstIndex(of: name.value)
      ?? names.firstIndex { $0.lowercased() == name.value.lowercased() }
    guard let index else {
      complain(
        "the result of \(query.name) has no column \(name.value)"
          + suggestion(for: name.value, among: names), name.offset, source)
      return nil
    }
    let column = query.columns[index]
    let part = query.part(of: index).map {
      "\($0.label.escaped)\($0.absence == nil ? "" : "?")."
    }
    return ((part ?? "") + column.label.escaped, column.type)
  }
}

extension TypeText {
  /// Whether the type is an array of another type, with the same representation if SQLite sees the elements.
  fileprivate func isArray(of element: TypeText) -> Bool {
    name == "[\(element.name)]" && !isOptional && representation != nil
      && (representation != "array" || elementRepresentation == element.representation)
  }

  /// Whether values of the type are equal in Swift only if SQLite stores the same value for them.
  ///
  /// Strings are not, because Swift also regards canonically equivalent strings as equal. A custom type may contain a
  /// string. For a type with a representation, only its own equality exists.
  fileprivate var hasExactEquality: Bool {
    representation != nil || name != "String" && Self.names[name] != nil
  }

  /// The annotation for a parameter that is an array of this type.
  fileprivate var array: String {
    "[\(name)\(representation.map { " as \($0)" } ?? "")] as array"
  }
}
