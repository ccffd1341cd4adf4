/// Row structs that several queries share.
extension QueryChecker {
  /// Checks the queries of several files that share rows, and reports differences between files.
  ///
  /// This method does not report problems of a single query or within a file: the check of that file reports
  /// them.
  mutating func checkSharedRows(of files: [QueryFile]) -> (
    queries: [CheckedQuery], diagnostics: [Diagnostic]
  ) {
    var shared: [CheckedQuery] = []
    var found: [Diagnostic] = []
    for file in files {
      let rows = file.sharedRows
      let queries = file.queries.filter { rows.contains($0.row?.value ?? "") }
        .compactMap { check($0, file.source) }
      diagnostics = []
      for query in queries {
        guard let other = shared.first(where: { $0.rowName == query.rowName }) else { continue }
        refuse(query, unless: other, file.source)
      }
      found += diagnostics
      shared += queries
    }
    return (shared, found)
  }

  /// Reports queries of a file whose rows have the same struct but different columns.
  mutating func refuseDifferentRows(_ queries: [CheckedQuery], _ source: SourceText) {
    var first: [String: CheckedQuery] = [:]
    for query in queries {
      guard let name = query.rowName else { continue }
      guard let other = first[name] else {
        first[name] = query
        continue
      }
      refuse(query, unless: other, source)
    }
  }

  private mutating func refuse(
    _ query: CheckedQuery, unless other: CheckedQuery, _ source: SourceText
  ) {
    let name = query.rowName ?? ""
    let difference = zip(query.columns, other.columns).first {
      $0.label != $1.label || $0.type != $1.type
    }
    let place = query.text.row?.offset ?? query.text.name.offset
    if let (own, its) = difference {
      complain(
        "\(name) has \(its.label): \(its.type.swift) in \(other.text.name.value), and"
          + " \(own.label): \(own.type.swift) here", place, source)
    } else if query.columns.count != other.columns.count {
      complain(
        "\(name) has \(other.columns.count) columns in \(other.text.name.value), and"
          + " \(query.columns.count) here", place, source)
    }
  }
}
