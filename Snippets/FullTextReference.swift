// The code samples in the documentation comments about full-text search; all compile and run.

// snippet.hide
import Foundation
import Sluice

guard SQLiteLibrary.has(.fts5) else { exit(0) }
try tokenizers()
try filters()
try closures()
try patterns(input: "sluice \"")
try tables(pattern: .phrase("sluice"))
try indexes(pattern: .phrase("sluice"))

func tokenizers() throws {
  let connection = try Connection()
  struct Digits: FTS5Tokenizer {
    func tokenize(
      _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
    ) throws {
      for index in text.indices where (48...57).contains(text[index]) {
        try tokens.add(utf8: text.extracting(index..<index + 1), at: index..<index + 1)
      }
    }
  }
  try connection.addTokenizer("digits") { _ in Digits() }
  try connection.execute(sql: "CREATE VIRTUAL TABLE pin USING fts5(code, tokenize = 'digits')")
}

func filters() throws {
  let connection = try Connection()
  struct Stopwords: FTS5TokenFilter {
    let base: [String]

    func filter(
      _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
      into tokens: borrowing FTS5TokenSink
    ) throws {
      if !["a", "an", "the"].contains(token.text) { try tokens.add(token) }
    }
  }
  try connection.addTokenizer("stopwords") { arguments in Stopwords(base: arguments) }
  try connection.execute(
    sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'stopwords porter ascii')")
}

func closures() throws {
  let connection = try Connection()
  try connection.addTokenizer("words") { text in
    text.split(separator: " ").map { FTS5Token($0.lowercased(), at: $0) }
  }
  try connection.addTokenizer("lines") { text in
    text.split(separator: "\n").map { FTS5Token($0.lowercased(), at: $0) }
  }
  try connection.addTokenizer("segments") { arguments in
    try Segments(language: arguments.first ?? "en")
  }
  try connection.execute(
    sql: "CREATE VIRTUAL TABLE note USING fts5(text, tokenize = 'segments de')")
}

struct Segments: FTS5Tokenizer {
  init(language: String) throws {
    guard ["de", "en"].contains(language) else {
      throw SQLiteError(.error, "Nothing is known of the language \(language)")
    }
  }

  func tokenize(
    _ text: Span<UInt8>, reason: FTS5TokenizeReason, into tokens: borrowing FTS5TokenSink
  ) throws {
    if !text.isEmpty { try tokens.add(utf8: text, at: 0..<text.count) }
  }
}

func patterns(input: String) throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(text)")
  do {
    let pattern = FTS5Pattern.allWords(input, prefixes: .last)
    let found = try connection.query(
      .column(.string), "SELECT text FROM note WHERE note MATCH \(pattern)")
    print(found)
  }
  try connection.addFullTextFunction("hits") { context in
    .integer(Int64(try context.instances().count))
  }
  let best = try connection.query(
    .column(.string),
    sql: "SELECT text FROM note WHERE note MATCH ? ORDER BY hits(note) DESC",
    parameters: "sluice")
  print(best)
}

func tables(pattern: FTS5Pattern) throws {
  let connection = try Connection()
  try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(title, body)")
  let notes = try connection.fullText("note")
  let found = try connection.query(
    .columns(.string, .string),
    """
    SELECT \(notes.highlight("title", from: "<b>", to: "</b>")), \(notes.snippet("body"))
    FROM note WHERE note MATCH \(pattern) ORDER BY \(notes.bm25(weights: ["title": 10]))
    """)
  try notes.optimize()
  print(found)
}

func indexes(pattern: FTS5Pattern) throws {
  let connection = try Connection()
  try connection.execute(
    sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
  let index = try connection.createFullTextIndex(
    "note_index", on: "note", columns: ["title", "body"], tokenize: "porter unicode61",
    prefixes: [2, 3])
  let found = try connection.query(
    .column(.string),
    """
    SELECT note.title FROM note_index JOIN note ON note.id = note_index.rowid
    WHERE note_index MATCH \(pattern) ORDER BY rank
    """)
  let words = try index.suggestions(for: "exmaple", limit: 3)
  print(words)  // ["example", "examples"]
  print(found)
}
