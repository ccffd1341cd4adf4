import Sluice
import SluiceTesting

/// Full-text patterns against a model of their matches, and patterns from any text, which never throw.
struct PatternFuzzer: Fuzzer {
  static let name = "full-text patterns"
  static let shortCount = 4000
  private static let words = ["fox", "foxes", "the", "quick", "quicker", "dog", "7", "and"]
  private static let pieces = [
    "\"", "'", "*", "+", "-", "^", ":", "{", "}", "(", ")", ",", "AND", "OR", "NOT", "NEAR(",
    "title:", "\0", "\u{7f}",
    "ä", "e\u{301}", "\u{301}", "👩‍👩‍👧", "\u{fffd}", "\u{feff}", " ", "\n", "fox", "999999999999", "--",
  ]
  private let connection: Connection
  private let rows: [[[String]]]
  private let isCanary: Bool

  init(isCanary: Bool) throws {
    try SQLiteLibrary.require(.fts5)
    self.isCanary = isCanary
    connection = try Connection()
    try connection.execute(sql: "CREATE VIRTUAL TABLE note USING fts5(title, body)")
    var random = SeededGenerator(seed: 7)
    rows = (0..<40).map { _ in
      (0..<2).map { _ in (0..<random.below(7)).map { _ in random.one(of: Self.words) } }
    }
    for row in rows {
      let columns = row.map { $0.joined(separator: random.isOne(in: 2) ? " " : ", ") }
      try connection.execute("INSERT INTO note VALUES (\(columns[0]), \(columns[1]))")
    }
  }

  func round(_ random: inout SeededGenerator) throws {
    let (pattern, model) = pattern(&random, 3)
    let found = try find(pattern)
    let expected = rows.indices.filter { model(rows[$0], [0, 1]) }
    try require(found == expected, "\(pattern.text) finds \(found), and not \(expected)")
    let texts = (0..<3).map { _ in text(&random) }
    let strange = strange(texts, &random)
    _ = try find(
      random.isOne(in: 2) ? strange : .any([strange, pattern]).except(.phrase(texts[2])))
    // As a pattern in FTS5 syntax, any text may cause only an SQLite error.
    do {
      _ = try connection.query(.values, "SELECT * FROM note WHERE note MATCH \(texts[0])")
    } catch let error as SQLiteError where error.code.primary == .error {}
  }

  private func find(_ pattern: FTS5Pattern) throws -> [Int] {
    try connection.query(
      .column(.int), "SELECT rowid - 1 FROM note WHERE note MATCH \(pattern) ORDER BY rowid")
  }

  /// A function that returns whether a row, given as the words of each column, matches in some of its columns.
  private typealias Model = (_ row: [[String]], _ columns: Set<Int>) -> Bool

  private func pattern(_ random: inout SeededGenerator, _ depth: Int) -> (FTS5Pattern, Model) {
    switch random.below(depth > 0 ? 10 : 5) {
    case 0, 1: return words(&random)
    case 2...4: return phrase(&random)
    case 5, 6:
      let parts = (0...random.below(3)).map { _ in pattern(&random, depth - 1) }
      let isAll = random.isOne(in: 2)
      // The canary's mistake: "all" means "any".
      let made = isAll && !isCanary ? FTS5Pattern.all(parts.map(\.0)) : .any(parts.map(\.0))
      return (
        made,
        { row, columns in
          let matches = parts.map { $0.1(row, columns) }
          return isAll ? !matches.contains(false) : matches.contains(true)
        }
      )
    case 7:
      let (first, second) = (pattern(&random, depth - 1), pattern(&random, depth - 1))
      return (first.0.except(second.0), { first.1($0, $1) && !second.1($0, $1) })
    case 8:
      let (inner, column) = (pattern(&random, depth - 1), random.below(2))
      return (
        inner.0.inColumns([["title", "body"][column]]), { inner.1($0, $1.intersection([column])) }
      )
    default:
      let (inner, column) = (pattern(&random, depth - 1), random.below(2))
      return (
        inner.0.outsideColumns([["title", "body"][column]]),
        { inner.1($0, $1.subtracting([column])) }
      )
    }
  }

  private func words(_ random: inout SeededGenerator) -> (FTS5Pattern, Model) {
    let words = (0...random.below(3)).map { _ in random.one(of: Self.words) }
    let prefixes = random.one(of: FTS5Pattern.Prefixes.allCases)
    let isAll = random.isOne(in: 2)
    let text = words.joined(separator: random.isOne(in: 3) ? "\n\0" : " ")
    return (
      isAll ? .allWords(text, prefixes: prefixes) : .anyWord(text, prefixes: prefixes),
      { row, columns in
        let matches = words.indices.map { index in
          let isPrefix = prefixes == .all || prefixes == .last && index == words.count - 1
          return columns.contains { column in
            row[column].contains { isPrefix ? $0.hasPrefix(words[index]) : $0 == words[index] }
          }
        }
        return isAll ? !matches.contains(false) : matches.contains(true)
      }
    )
  }

  private func phrase(_ random: inout SeededGenerator) -> (FTS5Pattern, Model) {
    let words = (0...random.below(2)).map { _ in random.one(of: Self.words) }
    let (startsColumn, isPrefix) = (random.isOne(in: 2), random.isOne(in: 2))
    let text = words.joined(separator: random.one(of: [" ", "-", "\"", ", "]))
    return (
      isPrefix
        ? .prefix(text, startsColumn: startsColumn) : .phrase(text, startsColumn: startsColumn),
      { row, columns in
        columns.contains { column in
          let tokens = row[column]
          return tokens.indices.contains { start in
            guard start + words.count <= tokens.count, start == 0 || !startsColumn else {
              return false
            }
            return words.indices.allSatisfy { index in
              let token = tokens[start + index]
              return isPrefix && index == words.count - 1
                ? token.hasPrefix(words[index]) : token == words[index]
            }
          }
        }
      }
    )
  }

  private func text(_ random: inout SeededGenerator) -> String {
    random.isOne(in: 3)
      ? random.text() : (0..<random.below(7)).map { _ in random.one(of: Self.pieces) }.joined()
  }

  private func strange(_ texts: [String], _ random: inout SeededGenerator) -> FTS5Pattern {
    switch random.below(6) {
    case 0: .allWords(texts[0], prefixes: random.one(of: FTS5Pattern.Prefixes.allCases))
    case 1: .anyWord(texts[0], prefixes: random.one(of: FTS5Pattern.Prefixes.allCases))
    case 2: .near(texts, distance: Int(truncatingIfNeeded: random.integer()))
    case 3: .all(texts.map { .phrase($0) })
    case 4: FTS5Pattern.prefix(texts[0], startsColumn: true).inColumns(["title"])
    default: FTS5Pattern.phrase(texts[0]).except(.allWords(texts[1]))
    }
  }
}
