import SluiceCore
import Testing

/// A tokenizer that runs a closure of the test.
struct Scripted: FTS5Tokenizer {
  typealias Script = (Span<UInt8>, FTS5TokenizeReason, borrowing FTS5TokenSink) throws -> Void
  let script: Script

  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws {
    try script(text, reason, tokens)
  }
}

/// A token filter that runs a closure of the test.
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

/// Returns the words of a text that are separated by spaces, in lowercase, with their ranges.
func wordsAtSpaces(_ text: String) -> [FTS5Token] {
  text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
}

extension Connection {
  /// Adds a tokenizer that runs `script` and ignores its arguments.
  func addTokenizer(_ name: String, script: @escaping Scripted.Script) throws {
    try addTokenizer(name) { (_: [String]) in Scripted(script: script) }
  }

  /// Creates a full-text table with one column, `text`, and a row for each of `texts`.
  func makeNotes(_ tokenizer: String, _ texts: String..., options: String = "") throws {
    try execute(
      sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = '\(tokenizer)'\(options))")
    for text in texts {
      try execute(sql: "INSERT INTO note VALUES (?)", parameters: .string(text))
    }
  }

  /// Creates a full-text table with three columns and three rows.
  func makeColumns() throws {
    try execute(
      sql: """
        CREATE VIRTUAL TABLE note USING fts5(title, body, extra UNINDEXED);
        INSERT INTO note VALUES ('ä one', 'two one two', 'x'), ('three', 'one', NULL), ('four', 'five', 'y')
        """)
  }

  /// Returns the rowids of the rows that match `pattern`.
  func matches(_ pattern: String) throws -> [Int] {
    try query(
      .column(.int), sql: "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rowid",
      parameters: .string(pattern))
  }

  /// Returns the text of the rows that match `pattern`, with brackets around the matches.
  func highlights(_ pattern: String) throws -> [String] {
    try query(
      .column(.string),
      sql: "SELECT highlight(note, 0, '[', ']') FROM note WHERE note MATCH ? ORDER BY rowid",
      parameters: .string(pattern))
  }
}
