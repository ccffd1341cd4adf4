extension DoctorReport {
  /// The report as text for people.
  var text: String {
    let lacking =
      lacking.isEmpty ? "" : "required but missing: \(lacking.joined(separator: ", "))\n"
    return sqlite.text + lacking + (database.map { "\n" + $0.text } ?? "")
  }
}

extension LibraryReport {
  fileprivate var text: String {
    let has = capabilities.filter(\.value).keys.sorted()
    let lacks = capabilities.filter { !$0.value }.keys.sorted()
    var rows = [
      ["source", sourceID],
      ["threads", threadingMode ?? "single-thread, so Sluice cannot open a database"],
      ["has", has.joined(separator: " ")], ["lacks", lacks.joined(separator: " ")],
    ]
    rows += defects.map { ["defect", "\($0.name): \($0.summary)"] }
    if defects.isEmpty { rows.append(["defects", "none known"]) }
    return "SQLite \(version)\n" + aligned(rows)
  }
}

extension DatabaseReport {
  fileprivate var text: String {
    var rows = [
      ["size", "\(size) bytes: \(pages) pages of \(pageSize), of which \(freePages) are free"],
      ["encoding", encoding], ["journal", journalMode],
    ]
    if let wal { rows.append(["WAL", wal.text]) }
    rows.append(["user version", "\(userVersion)"])
    if applicationID != 0 { rows.append(["application ID", "\(applicationID)"]) }
    rows += integrity.isEmpty ? [["integrity", "ok"]] : integrity.map { ["damage", $0] }
    if integrity.isEmpty {
      let problems = foreignKeys.map(\.row) + missingTables.map(\.row)
      rows += problems.isEmpty ? [["foreign keys", "ok"]] : problems
    }
    return "\(path.inOneLine)\n" + aligned(rows)
  }
}

extension DatabaseReport.Violation {
  fileprivate var row: [String] {
    let row = rowid.map { "row \($0)" } ?? "a row"
    return [
      "foreign key", "\(row) of \(table) refers to a missing row of \(referencedTable)",
    ]
  }
}

extension DatabaseReport.MissingTable {
  fileprivate var row: [String] {
    ["foreign key", "\(table) refers to the table \(referencedTable), which does not exist"]
  }
}

extension WALState {
  fileprivate var text: String {
    let moved = checkpointedFrames.map { ", of which \($0) are in the database file" } ?? ""
    return "\(size) bytes: \(frames) frames\(moved)"
  }
}
