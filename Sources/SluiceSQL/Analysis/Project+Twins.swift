extension Project {
  /// Queries of several files that have one name, and rows that do without being shared.
  package static func twins(in files: [QueryFile]) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    var queries: [String: String] = [:]
    var rows: [String: (file: String, isShared: Bool)] = [:]
    for file in files {
      let shared = file.sharedRows
      for query in file.queries {
        let name = query.name
        if let other = queries[name.value] {
          diagnostics.append(
            Diagnostic(
              "there is a query \(name.value) in \(other) already", at: name.offset, in: file.source
            ))
        }
        guard let row = query.row, let other = rows[row.value],
          !other.isShared || !shared.contains(row.value)
        else { continue }
        diagnostics.append(
          Diagnostic(
            "there is a row \(row.value) in \(other.file) already; \"-- @row \(row.value): shared\" in both"
              + " files makes it one", at: row.offset, in: file.source))
      }
      for query in file.queries {
        queries[query.name.value] = queries[query.name.value] ?? file.source.fileName
        guard let row = query.row?.value, rows[row] == nil else { continue }
        rows[row] = (file.source.fileName, shared.contains(row))
      }
    }
    return diagnostics
  }
}
