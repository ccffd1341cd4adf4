import SluiceData
import SluiceTesting

/// Schemas for tests of diagrams.
enum DiagramSchemas {
  /// A schema with composite keys, a reference to its own table, a cycle and a missing table.
  static let shop = """
    CREATE TABLE customer(
      id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, referred_by INTEGER REFERENCES customer,
      default_address INTEGER REFERENCES address(ID));
    CREATE TABLE address(
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES Customer(id),
      country TEXT NOT NULL REFERENCES country(code));
    CREATE TABLE country(code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
    CREATE TABLE "order"(
      id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer,
      address_id INTEGER REFERENCES address, placed_at TEXT NOT NULL);
    CREATE TABLE line(
      order_id INTEGER NOT NULL REFERENCES "order", number INTEGER NOT NULL, amount INTEGER,
      PRIMARY KEY(order_id, number)) WITHOUT ROWID;
    CREATE TABLE shipment(
      id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, number INTEGER NOT NULL,
      FOREIGN KEY(order_id, number) REFERENCES line);
    CREATE TABLE payment(
      order_id INTEGER PRIMARY KEY REFERENCES "order", provider TEXT REFERENCES provider(name));
    CREATE VIEW late AS SELECT id, placed_at FROM "order";
    """

  /// Returns a diagram of random tables with random references, including cycles.
  static func random(tables count: Int, seed: UInt64) -> SchemaDiagram {
    var random = SeededGenerator(seed: seed)
    var tables: [SchemaDiagram.Table] = []
    for number in 0..<count {
      let columns = (0..<Int.random(in: 0...9, using: &random)).map { column in
        SchemaDiagram.Column(
          name: "column_\(column)" + String(repeating: "x", count: Int(random.next() % 30)),
          type: Bool.random(using: &random) ? "INTEGER" : nil,
          isNotNull: Bool.random(using: &random))
      }
      let kind = SchemaDiagram.Table.Kind.allCases.randomElement(using: &random) ?? .table
      tables.append(.init(name: "table_\(number)", kind: kind, columns: columns))
    }
    var references: [SchemaDiagram.Reference] = []
    for _ in 0..<count * Int.random(in: 0...3, using: &random) {
      guard let table = tables.randomElement(using: &random),
        let referenced = tables.randomElement(using: &random)
      else { continue }
      let width = min(
        table.columns.count, referenced.columns.count, Int.random(in: 1...2, using: &random))
      guard width > 0 else { continue }
      references.append(
        .init(
          table: table.name,
          columns: table.columns.shuffled(using: &random).prefix(width).map(\.name),
          referencedTable: referenced.name,
          referencedColumns: Int.random(in: 0..<8, using: &random) == 0
            ? [] : referenced.columns.shuffled(using: &random).prefix(width).map(\.name),
          isUnique: Bool.random(using: &random), isOptional: Bool.random(using: &random)))
    }
    return SchemaDiagram(tables: tables, references: references)
  }

  /// Names that mean something in XML, DOT, Mermaid or a terminal.
  static let hostileNames = [
    "a\"b", "a'b", "<script>alert(1)</script>", "a&b", "a\nb", "a\r\nb", "\0", "\u{1b}[2J", "😀👩‍👩‍👧",
    "a\\b", "a%b", "direction LR", "classDef x:#f00;", "style a:#f00;b", "PK", "fk", "a{b}", "a]b",
    "-->", "]]>", "{{x}}", "\u{202e}abc", "\u{2028}", "日本語の名前", "é\u{301}", "", " ",
    String(repeating: "long", count: 75), String(repeating: "名", count: 300), "\u{fffe}", "`x`",
    "end", "a;b", "#quot;", "%%{init: {}}%%",
  ]
}
