import Sluice
import SluiceSQL
import SluiceTesting

/// Checks `.sql` files with valid annotations or arbitrary text.
///
/// Each yields code, or diagnostics at valid positions.
struct AnnotationFuzzer: Fuzzer {
  static let name = ".sql files with annotations"
  static let shortCount = 400
  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, n INTEGER, t TEXT NOT NULL DEFAULT 'd', r REAL, b BLOB);
    CREATE TABLE c(id INTEGER PRIMARY KEY, a INTEGER REFERENCES a, t TEXT UNIQUE);
    CREATE TABLE w(k TEXT, l, PRIMARY KEY(k, l)) WITHOUT ROWID;
    CREATE VIEW v AS SELECT a.id, c.t FROM a LEFT JOIN c ON c.a = a.id;
    """
  private static let grammar = Grammar(
    rules: Grammar.sql.rules.merging([
      "file": ["<block>", "<block><block>", "<block><block><block><block>", "-- \n<block>/* */"],
      "block": [
        "-- @query <name><form>\n<right>;\n", "-- @query <name><form>\n<statement>;\n",
        "-- Words.\n-- <annotation>\n-- @query <name><form>\n<right>;\n",
        "-- <annotation>\n<right>;\n",
        "-- @query <name>\n-- @row <name>\n-- @param <leaf>: <swift>\n<right>;\n", "<statement>;\n",
      ],
      "right": [
        "SELECT * FROM a WHERE id = :id", "SELECT id, t AS x FROM c WHERE t = :t OR a IN :ids",
        "INSERT INTO a(n, t) VALUES (:n, :t) RETURNING id", "UPDATE c SET t = :t WHERE id = :id",
        "SELECT count(*) AS total, max(r) FROM a GROUP BY n",
        "SELECT v.*, w.l FROM v JOIN w ON w.k = v.t",
      ],
      "annotation": [
        "@param <name>: <swift>", "@column <name>: <swift>", "@row <name>", "@allow scans",
        "@embed <name>", "@embed t: <name>?", "@children <name>: <name>(<name>: id) by id",
        "@warn <name>", "@<name>",
        "@param", "@type a.n: <swift>", "@column :", "@query", "@param :<name> : <swift>",
        "@import <name>",
      ],
      "name": [
        "one", "two", "three", "id", "t", "x", "class", "0", "", "é", "a b", "Row", "self", "`x`",
        "\u{301}",
      ],
      "form": ["", "", ": first", ": all, live", ": <name>", ": rows,", ":", ": first, first"],
      "swift": [
        "Int", "String", "UUID", "Date?", "[Int]", "[String: Int?]", "A.B<C>", "Int??", "(Int)",
        "Optional<Int>", "", "[",
        "Int.", "Ünï", "inout Int", "a -> b",
      ],
      "declarations": [
        "-- <declaration>\n", "-- <declaration>\n-- <declaration>\n",
        "-- <declaration>\n-- <annotation>\n",
      ],
      "declaration": [
        "@function twice(Int) -> Int", "@function <name>(<swift>) -> <swift>",
        "@aggregate total(Double?) -> <swift>",
        "@collation <name>", "@tokenizer <name>", "@type a.n: <swift>", "@type <type>: <swift>",
        "@import <name>",
        "@access <name>", "@access public", "@warn scans", "@function <name>",
        "@function (",
      ],
    ]) { $1 }, depth: 7)

  private let schema: CheckedSchema
  private let isCanary: Bool

  init(isCanary: Bool) throws {
    self.isCanary = isCanary
    schema = try Self.schema(Declarations())
  }

  private static func schema(_ declarations: Declarations) throws -> CheckedSchema {
    let connection = try CheckedSchema.connection(declarations)
    try connection.execute(sql: schema)
    return try CheckedSchema(connection, declarations)
  }

  func round(_ random: inout SeededGenerator) throws {
    var schema = schema
    if random.isOne(in: 4) {
      let text = broken(Self.grammar.text("declarations", &random), &random)
      let source = SourceText(path: "Declarations.sql", text: text)
      let declarations = Declarations(source)
      try check(declarations.diagnostics, text)
      // SQLite may reject a name.
      do { schema = try Self.schema(declarations) } catch is SQLiteError { return }
      try check(schema.declarations.diagnostics, text)
    }
    let text = broken(Self.grammar.text("file", &random), &random)
    let file = QueryFile(SourceText(path: "q.sql", text: text))
    var checker = QueryChecker(schema)
    let (queries, diagnostics) = checker.check(file)
    try check(diagnostics, text)
    guard !diagnostics.contains(where: { $0.severity == .error }) else { return }
    // The canary's mistake: it leaves out the last query.
    let generator = QueryGenerator(
      isCanary ? Array(queries.dropLast()) : queries, file: "q.sql",
      declarations: schema.declarations)
    let code = generator.code
    for query in queries {
      try require(
        code.contains("\(query.name)("), "no code for \(query.name): \(text.debugDescription)")
    }
  }

  /// Checks that an editor can jump to the position of each diagnostic.
  private func check(_ diagnostics: [Diagnostic], _ text: String) throws {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for diagnostic in diagnostics {
      try require(
        lines.indices.contains(diagnostic.line - 1)
          && (1...lines[diagnostic.line - 1].count + 1).contains(diagnostic.column),
        "\(diagnostic) stands nowhere in \(text.debugDescription)")
      try require(!diagnostic.message.isEmpty, "no words for \(text.debugDescription)")
    }
  }

  private func broken(_ text: String, _ random: inout SeededGenerator) -> String {
    random.isOne(in: 2) ? text : String(decoding: random.mutated(Array(text.utf8)), as: UTF8.self)
  }
}
