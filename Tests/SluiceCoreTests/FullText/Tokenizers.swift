import SluiceCore
import Testing

/// A tokenizer that does what a test says.
struct Scripted: FTS5Tokenizer {
  typealias Script = (Span<UInt8>, FTS5TokenizeReason, borrowing FTS5TokenSink) throws -> Void
  let script: Script

  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws {
    try script(text, reason, tokens)
  }
}

/// A filter that does what a test says.
struct ScriptedFilter: FTS5TokenFilter {
  let base: [String]
  let script: (FTS5Token, FTS5TokenizeReason, borrowing FTS5TokenSink) throws -> Void

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    try script(token, reason, tokens)
  }
}

/// Whatever separates words by spaces, and says where they are.
func wordsAtSpaces(_ text: String) -> [FTS5Token] {
  text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
}

extension Connection {
  /// Adds a tokenizer that does what `script` says, without arguments.
  func addTokenizer(_ name: String, script: @escaping Scripted.Script) throws {
    try addTokenizer(name) { (_: [String]) in Scripted(script: script) }
  }

  /// Makes a full-text table with one column, `text`, and its rows.
  func makeNotes(_ tokenizer: String, _ texts: String..., options: String = "") throws {
    try execute(
      sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = '\(tokenizer)'\(options))")
    for text in texts {
      try execute(sql: "INSERT INTO note VALUES (?)", parameters: .string(text))
    }
  }

  /// Makes a full-text table with several columns, and its rows.
  func makeColumns() throws {
    try execute(
      sql: """
        CREATE VIRTUAL TABLE note USING fts5(title, body, extra UNINDEXED);
        INSERT INTO note VALUES ('ä one', 'two one two', 'x'), ('three', 'one', NULL), ('four', 'five', 'y')
        """)
  }

  /// The rowids of the rows that match.
  func matches(_ pattern: String) throws -> [Int] {
    try query(
      .column(.int), sql: "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rowid",
      parameters: .string(pattern))
  }

  /// The rows that match, with brackets around what does.
  func highlights(_ pattern: String) throws -> [String] {
    try query(
      .column(.string),
      sql: "SELECT highlight(note, 0, '[', ']') FROM note WHERE note MATCH ? ORDER BY rowid",
      parameters: .string(pattern))
  }
}
