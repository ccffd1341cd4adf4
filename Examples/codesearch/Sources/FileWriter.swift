import Sluice

/// A writer that adds files to the index, and removes files from it, inside a transaction.
///
/// The full-text index does not store the text. It is updated once for each file, which is faster than triggers
/// that update it once for each line.
struct FileWriter {
  private let connection: Connection
  private let hideLines: Statement
  private let removeFile: Statement
  private let addFile: Statement
  private let addLine: Statement
  private let showLines: Statement

  init(_ connection: Connection) throws {
    self.connection = connection
    hideLines = try connection.prepare(
      sql: """
        INSERT INTO line_text(line_text, rowid, text)
        SELECT 'delete', line.id, text FROM line JOIN file ON file.id = line.file WHERE path = ?
        """)
    removeFile = try connection.prepare(sql: "DELETE FROM file WHERE path = ?")
    addFile = try connection.prepare(
      sql: "INSERT INTO file(path, size, modified, lines, skipped) VALUES (?, ?, ?, ?, ?)")
    addLine = try connection.prepare(sql: "INSERT INTO line(file, number, text) VALUES (?, ?, ?)")
    showLines = try connection.prepare(
      sql: "INSERT INTO line_text(rowid, text) SELECT id, text FROM line WHERE file = ?")
  }

  /// Removes a file and its lines from the index, if the file is indexed.
  func remove(_ path: String) throws {
    try hideLines.bind(path).execute()
    try removeFile.bind(path).execute()
  }

  /// Adds a file and its lines to the index.
  func add(_ document: Document) throws {
    let file = document.file
    try addFile.bind(
      file.path, file.size, .timeIntervalSinceReferenceDate(file.modified),
      .int(document.lines.count), document.reason?.rawValue
    ).execute()
    let id = SQLParameter.int64(connection.lastInsertRowid)
    for line in document.lines {
      try addLine.bind(id, line.number, line.text).execute()
    }
    try showLines.bind(id).execute()
  }
}
