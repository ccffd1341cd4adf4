/// Structs that several queries share.
extension QueryChecker {
  /// Checks the queries of several files that share structs, and reports differences between files.
  ///
  /// This method does not report problems of a single query or within a file: the check of that file reports
  /// them.
  mutating func checkSharedRows(of files: [QueryFile]) -> (
    structs: [RowUse], diagnostics: [Diagnostic]
  ) {
    var shared: [RowUse] = []
    var found: [Diagnostic] = []
    for file in files where !file.sharedRows.isEmpty {
      let queries = check(file).queries
      diagnostics = []
      var own: [RowUse] = []
      for query in queries {
        for use in query.rowUses where file.sharedRows.contains(use.row.name) {
          own.append(use)
          if let other = shared.first(where: { $0.row.name == use.row.name }) {
            refuse(use.row, of: query, unless: other, file.source)
          }
        }
      }
      found += diagnostics
      shared += own
    }
    return (shared, found)
  }

  /// Reports structs of a file that have the same name but different properties.
  mutating func refuseDifferentRows(_ queries: [CheckedQuery], _ source: SourceText) {
    var first: [String: RowUse] = [:]
    for query in queries {
      for use in query.rowUses {
        guard let other = first[use.row.name] else {
          first[use.row.name] = use
          continue
        }
        refuse(use.row, of: query, unless: other, source)
      }
    }
  }

  private mutating func refuse(
    _ row: RowStruct, of query: CheckedQuery, unless other: RowUse, _ source: SourceText
  ) {
    guard let difference = row.difference(from: other.row) else { return }
    let place =
      query.text.structs.last { $0.value == row.name }?.offset ?? query.text.name.offset
    let message =
      switch difference {
      case (let own?, let its?) where own.label == its.label && own.type == its.type:
        "\(row.name) reads \(own.label) from other columns in \(other.query) than here: use two structs"
      case (let own?, let its?):
        "\(row.name) has \(its.label): \(its.type.swift) in \(other.query), and"
          + " \(own.label): \(own.type.swift) here"
      default:
        "\(row.name) has \(other.row.properties.count) columns in \(other.query), and"
          + " \(row.properties.count) here"
      }
    complain(message, place, source)
  }
}
