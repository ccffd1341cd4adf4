// Full-text search: patterns, tokenizers and auxiliary functions.

// snippet.hide
import Foundation
import Sluice

guard SQLiteLibrary.has(.fts5) else { exit(0) }
let connection = try Connection()
let input = "the \"fox"
// snippet.show
try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(title, body)")
try connection.execute(
  sql:
    "INSERT INTO note VALUES ('Fable', 'The quick brown fox'), ('Nothing', 'A lazy dog')"
)

// User input is escaped, so all of it is treated as words.
let pattern = FTS5Pattern.allWords(input, prefixes: .last)
let notes = try connection.fullText("note")
let found = try connection.query(
  .columns(.string, .string),
  """
  SELECT title, \(notes.highlight("body", from: "<b>", to: "</b>"))
  FROM note WHERE note MATCH \(pattern) ORDER BY \(notes.bm25(weights: ["title": 10]))
  """)
print(found)  // [("Fable", "<b>The</b> quick brown <b>fox</b>")]

// Swift code can build patterns.
let fable = FTS5Pattern.all([.phrase("brown fox"), .prefix("qui")]).inColumns(["body"]
)
let rows = try connection.query(
  .column(.string),
  "SELECT title FROM note WHERE note MATCH \(fable.except(.phrase("dog")))")

// A closure returns the tokens of a text, with their positions.
try connection.addTokenizer("lines") { text in
  text.split(separator: "\n").map { FTS5Token($0.lowercased(), at: $0) }
}

// A filter changes the tokens of another tokenizer, here `unicode61`.
struct Spelling: FTS5TokenFilter {
  let base = ["unicode61"]

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    try tokens.add(token)
    if token.text == "colour", reason == .document {
      try tokens.add("color", at: token.range, isColocated: true)
    }
  }
}
try connection.addTokenizer("spelling") { _ in Spelling() }
try connection.execute(
  sql: "CREATE VIRTUAL TABLE film USING fts5(title, tokenize = 'spelling')")
try connection.execute(sql: "INSERT INTO film VALUES ('A colour film')")
let films = try connection.query(
  .column(.string), sql: "SELECT title FROM film('color')")

// An auxiliary function reads the positions of the matched phrases.
try connection.addFullTextFunction("hits") { context in
  .integer(Int64(try context.instances().count))
}
let best = try connection.first(
  .column(.string),
  sql: "SELECT title FROM note('fox OR dog') ORDER BY hits(note) DESC")

// Triggers in the database keep the index up to date, for every program that writes.
let library = try Connection()
try library.execute(
  sql: "CREATE TABLE book(id INTEGER PRIMARY KEY, isbn UNIQUE, title TEXT)")
let index = try library.createFullTextIndex(
  "book_index", on: "book", columns: ["title"])
try library.execute(
  sql: "REPLACE INTO book(isbn, title) VALUES (1, 'Sketch of the Analytical Engine')")
let books = try library.query(
  .column(.int64),
  sql:
    "SELECT id FROM book JOIN book_index ON id = book_index.rowid WHERE book_index MATCH ?",
  parameters: "analytical")

// A query that finds nothing may contain a misspelled word.
let similar = try index.suggestions(for: "analitycal", limit: 3)
print(similar)  // ["analytical"]

// An index that stores no text needs the old text to delete an entry.
try library.execute(
  sql: """
    CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
    CREATE VIRTUAL TABLE film_index USING fts5(title, content = 'film', content_rowid = 'id');
    CREATE TRIGGER film_insert AFTER INSERT ON film BEGIN
      INSERT INTO film_index(rowid, title) VALUES (NEW.id, NEW.title);
    END;
    CREATE TRIGGER film_delete AFTER DELETE ON film BEGIN
      INSERT INTO film_index(film_index, rowid, title) VALUES ('delete', OLD.id, OLD.title);
    END;
    CREATE TRIGGER film_update AFTER UPDATE ON film BEGIN
      INSERT INTO film_index(film_index, rowid, title) VALUES ('delete', OLD.id, OLD.title);
      INSERT INTO film_index(rowid, title) VALUES (NEW.id, NEW.title);
    END;
    INSERT INTO film(title) VALUES ('The Difference Engine')
    """)

try notes.optimize()
// snippet.hide
guard found.count == 1, rows == ["Fable"], films.count == 1, best != nil, books == [1],
  similar == ["analytical"]
else {
  fatalError("\(found)")
}
