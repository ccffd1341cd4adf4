import Sluice

/// Puts files into the index, and takes them out, inside a transaction.
///
/// The full-text index holds no text of its own. It is written once a file, which is faster than triggers
/// that write it once a line.
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

  /// Takes a file with its lines out of the index, if it is there.
  func remove(_ path: String) throws {
    try hideLines.bind(path).execute()
    try removeFile.bind(path).execute()
  }

  /// Puts a file with its lines into the index.
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
