extension SchemaReport {
  /// The report as text for people.
  var text: String {
    guard !tables.isEmpty else { return "There are no tables.\n" }
    return tables.map(\.text).joined(separator: "\n")
  }

  /// The schema as SQL for `sqlite3`; tables come first, because indexes and triggers refer to them.
  var sql: String {
    var statements = tables.filter { $0.kind != "view" }.map(\.sql)
    statements += tables.filter { $0.kind == "view" }.map(\.sql)
    statements += tables.flatMap { $0.indexes.compactMap(\.sql) }
    statements += tables.flatMap { $0.triggers.map(\.sql) }
    return statements.filter { !$0.isEmpty }.map { sql in
      // A comment at the end of the SQL would hide the semicolon.
      sql.contains("--") ? sql + "\n;\n" : sql + ";\n"
    }.joined()
  }
}

extension SchemaReport.Table {
  fileprivate var text: String {
    let traits = (isStrict ? ["strict"] : []) + (isWithoutRowid ? ["without rowid"] : [])
    let kind = self.kind == "virtual" ? "virtual table" : self.kind
    let head =
      "\(kind) \(name.inOneLine)"
      + (traits.isEmpty ? "\n" : " (\(traits.joined(separator: ", ")))\n")
    let problem = self.problem.map { "  (\($0.inOneLine))\n" } ?? ""
    var rest = foreignKeys.map(\.words)
    rest += indexes.map(\.words)
    rest += triggers.map { "trigger \($0.name)" }
    let rows = columns.map { [$0.name, $0.type ?? "", $0.traits] }
    return head + problem + aligned(rows) + rest.map { "  \($0.inOneLine)\n" }.joined()
  }
}

extension SchemaReport.Column {
  fileprivate var traits: String {
    var traits: [String] = []
    if let primaryKeyPosition {
      traits.append(primaryKeyPosition == 1 ? "primary key" : "primary key \(primaryKeyPosition)")
    }
    if isNotNull { traits.append("not null") }
    if let defaultSQL { traits.append("default \(defaultSQL)") }
    if isGenerated { traits.append("generated") }
    if isHidden { traits.append("hidden") }
    if let collation, collation.uppercased() != "BINARY" { traits.append("collate \(collation)") }
    return traits.joined(separator: ", ")
  }
}

extension SchemaReport.ForeignKey {
  fileprivate var words: String {
    let target = referencedColumns.isEmpty ? "" : " (\(referencedColumns.joined(separator: ", ")))"
    return "foreign key (\(columns.joined(separator: ", "))) references \(table)\(target)"
      + (onUpdate == "NO ACTION" ? "" : " on update \(onUpdate.lowercased())")
      + (onDelete == "NO ACTION" ? "" : " on delete \(onDelete.lowercased())")
  }
}

extension SchemaReport.Index {
  fileprivate var words: String {
    let list = terms.map { ($0.column ?? "an expression") + ($0.isDescending ? " desc" : "") }
    let columns = " (\(list.joined(separator: ", ")))"
    guard sql != nil else { return (origin == "primaryKey" ? "primary key" : "unique") + columns }
    return "\(isUnique ? "unique " : "")index \(name)\(columns)\(isPartial ? ", partial" : "")"
  }
}
