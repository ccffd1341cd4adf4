extension Project {
  /// Returns diagnostics for queries, functions and unshared rows that have the same name in several files.
  package static func twins(in files: [QueryFile]) -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    var owners: [String: QueryText] = [:]
    var places: [String: String] = [:]
    var rows: [String: (file: String, isShared: Bool)] = [:]
    var ownRows: [String: (file: String, query: String)] = [:]
    for file in files {
      for query in file.queries where query.row == nil {
        ownRows[query.ownRow] = (file.source.fileName, query.name.value)
      }
    }
    for file in files {
      let shared = file.sharedRows
      for query in file.queries {
        let name = query.name
        if let (function, other) = query.twin(in: owners) {
          let place = places[function] ?? ""
          diagnostics.append(
            Diagnostic(
              other.name.value == name.value
                ? "\(place) already has a query named \(name.value)"
                : "\(name.value) and \(other.name.value) in \(place) both define the function \(function)",
              at: name.offset, in: file.source))
        }
        for row in query.structs {
          if let other = ownRows[row.value], other.file != file.source.fileName {
            diagnostics.append(
              Diagnostic(
                "the row of \(other.query) in \(other.file) is also named \(row.value)",
                at: row.offset, in: file.source))
          }
          guard let other = rows[row.value], !other.isShared || !shared.contains(row.value) else {
            continue
          }
          let isRow = row.offset == query.row?.offset
          diagnostics.append(
            Diagnostic(
              "\(other.file) already has a row named \(row.value): write"
                + " \"-- @\(isRow ? "row \(row.value):" : "embed table: \(row.value)") shared\" in both"
                + " files to share it", at: row.offset, in: file.source))
        }
      }
      for query in file.queries {
        for function in query.functions where owners[function] == nil {
          owners[function] = query
          places[function] = file.source.fileName
        }
        for row in query.structs.map(\.value) where rows[row] == nil {
          rows[row] = (file.source.fileName, shared.contains(row))
        }
      }
    }
    return diagnostics
  }
}
