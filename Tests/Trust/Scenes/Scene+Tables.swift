import Sluice

private struct Halves: FTS5TokenFilter {
  let base = ["unicode61"]

  func filter(
    _ token: FTS5Token, in text: Span<UInt8>, reason: FTS5TokenizeReason,
    into tokens: borrowing FTS5TokenSink
  ) throws {
    try tokens.add(token)
    if reason == .document { try tokens.add("half", at: token.range, isColocated: true) }
  }
}

extension Scene {
  /// Virtual tables, full-text search and R*Trees.
  static var tables: [Scene] {
    [
      Scene("virtual tables") { database in
        try database.use { connection in
          try connection.addTableFunction(
            "words", columns: ["place", "word"], parameters: ["text"]
          ) {
            (text: String) in
            text.split(separator: " ").enumerated().lazy.map { ($0.offset, String($0.element)) }
          }
          let last = try connection.first(
            .column(.string), sql: "SELECT word FROM words('the quick fox') ORDER BY place DESC")
          try require(last == "fox", "the last word is \(last as Any)")
          let ids = [1, 2, 3]
          let count = try connection.first(
            .column(.int), "SELECT count(*) FROM person WHERE id IN \(ids)")
          try require(count == 2, "an array has \(count as Any)")
        }
      },
      Scene("full text", needs: [.fts5]) { database in
        try database.use { connection in
          try connection.transaction { connection, _ in
            try connection.execute(
              sql: "INSERT INTO note VALUES ('b', 'a lazy dog'), ('c', 'a fox')")
          }
          let notes = try connection.fullText("note")
          let found = try connection.query(
            .columns(.string, .string),
            """
            SELECT title, \(notes.highlight("body", from: "<", to: ">")) FROM note
            WHERE note MATCH \(FTS5Pattern.allWords("fox", prefixes: .last)) ORDER BY title
            """)
          try require(found.map(\.1) == ["the <fox>", "a <fox>"], "\(found) was found")
          try notes.optimize()
          try notes.checkIntegrity()
        }
      },
      // The index must match its table after each run, whatever has failed.
      Scene("index of a table", needs: [.fts5]) { database in
        try database.use { connection in
          let index = try connection.createFullTextIndex(
            "person_index", on: "person", columns: ["name"])
          try connection.transaction { connection, _ in
            try connection.execute(
              sql: """
                INSERT INTO person(id, name) VALUES (3, 'Grace');
                REPLACE INTO person(id, name) VALUES (2, 'Edsger');
                UPDATE person SET name = 'Adele' WHERE id = 1;
                DELETE FROM person WHERE id = 3
                """)
          }
          try index.checkIntegrity()
          let ids = try connection.query(
            .column(.int),
            sql: "SELECT rowid FROM person_index('edsger OR adele OR grace OR alan') ORDER BY rowid"
          )
          try require(ids == [1, 2], "the rows \(ids) were found")
          let words = try index.suggestions(for: "edgser")
          try require(words == ["edsger"], "\(words) were suggested")
          try connection.dropFullTextIndex("person_index")
        }
      },
      Scene("tokenizers", needs: [.fts5]) { database in
        try database.use { connection in
          try connection.addTokenizer("halves") { _ in Halves() }
          try connection.addFullTextFunction("hits") { context in
            .integer(Int64(try context.instances().count))
          }
          try connection.execute(
            sql: """
              CREATE VIRTUAL TABLE temp.film USING fts5(title, tokenize = 'halves');
              INSERT INTO temp.film VALUES ('two words')
              """)
          let hits = try connection.first(.column(.int), sql: "SELECT hits(film) FROM film('half')")
          try require(hits == 2, "\(hits as Any) hits")
        }
      },
      Scene("R*Tree", needs: [.rtree]) { database in
        try database.use { connection in
          try connection.addRTreeQuery("near") { arguments in
            let center = try arguments.get(Double.self, at: 0)
            return { node in
              try abs(node.lower(0) - center) < 5 ? .partlyInside : .outside
            }
          }
          try connection.execute(sql: "INSERT INTO place VALUES (2, 4, 5), (3, 50, 60)")
          let ids = try connection.query(
            .column(.int), sql: "SELECT id FROM place WHERE id MATCH near(3) ORDER BY id")
          try require(ids == [1, 2], "\(ids) are near")
        }
      },
    ]
  }
}
