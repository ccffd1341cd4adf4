import Sluice

/// A shop with eight tables, and queries of which some lack an index.
enum Shop {
  static let schema = """
    CREATE TABLE category(
      id INTEGER PRIMARY KEY, parent INTEGER REFERENCES category, name TEXT NOT NULL);
    CREATE TABLE product(
      id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
      category INTEGER NOT NULL REFERENCES category, price REAL NOT NULL, deleted TEXT);
    CREATE TABLE customer(
      id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, email TEXT NOT NULL UNIQUE,
      city TEXT NOT NULL, address TEXT);
    CREATE TABLE "order"(
      id INTEGER PRIMARY KEY, customer INTEGER NOT NULL REFERENCES customer ON DELETE CASCADE,
      status TEXT NOT NULL, placed TEXT NOT NULL, day TEXT AS (substr(placed, 1, 10)),
      total REAL NOT NULL DEFAULT 0);
    CREATE INDEX order_placed ON "order"(placed);
    CREATE TABLE item(
      "order" INTEGER NOT NULL REFERENCES "order" ON DELETE CASCADE, position INTEGER NOT NULL,
      product INTEGER NOT NULL REFERENCES product, quantity INTEGER NOT NULL,
      PRIMARY KEY("order", position)) WITHOUT ROWID;
    CREATE TABLE review(
      id INTEGER PRIMARY KEY, product INTEGER NOT NULL REFERENCES product,
      customer INTEGER NOT NULL, rating INTEGER NOT NULL, body TEXT NOT NULL);
    CREATE TABLE stock(
      warehouse TEXT NOT NULL, product INTEGER NOT NULL, count INTEGER NOT NULL,
      UNIQUE(warehouse, product));
    CREATE TABLE event(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at REAL NOT NULL, payload TEXT);
    CREATE VIEW open_order AS SELECT id, customer, placed FROM "order" WHERE status = 'open';
    \(reviewText)
    """
  private static let reviewText =
    SQLiteLibrary.has(.fts5)
    ? "CREATE VIRTUAL TABLE review_text USING fts5(body, content='review', content_rowid='id');"
    : ""

  /// Queries with the statements that create the indexes that they lack.
  static let lacking: [(sql: String, indexes: [String])] = [
    (
      "SELECT id, title FROM product WHERE category = :category",
      ["CREATE INDEX product_category ON product(category)"]
    ),
    (
      "SELECT id, kind FROM event WHERE kind IN ('sale', 'return')",
      ["CREATE INDEX event_kind ON event(kind)"]
    ),
    (
      "SELECT id, payload FROM event WHERE at > :since AND kind = :kind",
      ["CREATE INDEX event_kind_at ON event(kind, at)"]
    ),
    (
      "SELECT id FROM event WHERE at BETWEEN :first AND :last",
      ["CREATE INDEX event_at ON event(at)"]
    ),
    (
      "SELECT id, total FROM \"order\" WHERE customer = :customer ORDER BY placed DESC LIMIT 10",
      ["CREATE INDEX order_customer_placed ON \"order\"(customer, placed)"]
    ),
    (
      "SELECT id, sku FROM product WHERE category = :category ORDER BY price DESC, title LIMIT 10",
      ["CREATE INDEX product_category_price_title ON product(category, price, title DESC)"]
    ),
    (
      """
      SELECT item."order", product.title FROM product JOIN item ON item.product = product.id
      WHERE product.sku = :sku
      """, ["CREATE INDEX item_product ON item(product)"]
    ),
    (
      "SELECT name FROM category LEFT JOIN product ON product.category = category.id"
        + " WHERE parent = :parent",
      [
        "CREATE INDEX category_parent ON category(parent)",
        "CREATE INDEX product_category ON product(category)",
      ]
    ),
    (
      "SELECT id FROM customer WHERE name LIKE 'A%'",
      ["CREATE INDEX customer_name ON customer(name)"]
    ),
    (
      "SELECT id FROM \"order\" WHERE status = :status OR customer = :customer",
      [
        "CREATE INDEX order_customer ON \"order\"(customer)",
        "CREATE INDEX order_status ON \"order\"(status)",
      ]
    ),
    (
      "SELECT id FROM product WHERE deleted IS NULL AND title = :title",
      ["CREATE INDEX product_title_deleted ON product(title, deleted)"]
    ),
    (
      "SELECT id, placed FROM open_order WHERE customer = :customer",
      ["CREATE INDEX order_customer_status ON \"order\"(customer, status)"]
    ),
    (
      "SELECT id FROM customer WHERE city = :city COLLATE NOCASE",
      ["CREATE INDEX customer_city ON customer(city COLLATE NOCASE)"]
    ),
    (
      "SELECT id FROM \"order\" WHERE day = :day", ["CREATE INDEX order_day ON \"order\"(day)"]
    ),
    (
      "SELECT id FROM customer WHERE length(address) > 10",
      ["CREATE INDEX customer_length_address ON customer(length(address))"]
    ),
    ("SELECT max(at) AS last FROM event", ["CREATE INDEX event_at ON event(at)"]),
    (
      "UPDATE \"order\" SET total = 0 WHERE status = 'void'",
      ["CREATE INDEX order_status ON \"order\"(status)"]
    ),
    (
      "DELETE FROM event WHERE kind = :kind RETURNING id",
      ["CREATE INDEX event_kind ON event(kind)"]
    ),
    (
      """
      INSERT INTO stock(warehouse, product, count)
      SELECT 'main', id, 1 FROM product WHERE category = :category
      ON CONFLICT(warehouse, product) DO UPDATE SET count = count + 1
      """, ["CREATE INDEX product_category ON product(category)"]
    ),
    (
      "SELECT product, avg(rating) AS mean FROM review GROUP BY product",
      ["CREATE INDEX review_product ON review(product)"]
    ),
    (
      "SELECT DISTINCT customer, product, rating FROM review",
      ["CREATE INDEX review_product_customer_rating ON review(product, customer, rating)"]
    ),
    (
      "SELECT body FROM review WHERE product IN (SELECT id FROM product WHERE title = :title)",
      [
        "CREATE INDEX product_title ON product(title)",
        "CREATE INDEX review_product ON review(product)",
      ]
    ),
    // A foreign key searches the table that refers to the deleted row.
    (
      "DELETE FROM product WHERE id = :id",
      [
        "CREATE INDEX item_product ON item(product)",
        "CREATE INDEX review_product ON review(product)",
      ]
    ),
  ]

  /// Queries that no index makes faster, or that have one.
  static let satisfied = plain + (reviewText.isEmpty ? [] : fullText)

  private static let fullText = [
    "SELECT rowid FROM review_text WHERE body MATCH :text",
    "SELECT rowid FROM review_text ORDER BY rank",
  ]

  private static let plain = [
    "SELECT id, kind, at, payload FROM event",
    "SELECT count(*) AS count FROM review",
    "SELECT id FROM customer WHERE length(address) <> 10",
    "SELECT id FROM product WHERE title LIKE '%x%'",
    "SELECT id FROM product WHERE title <> 'x'",
    "SELECT id FROM \"order\" NOT INDEXED WHERE status = 'open'",
    "SELECT title FROM product WHERE id = :id",
    "SELECT title FROM product WHERE sku = :sku",
    "SELECT id FROM \"order\" WHERE placed > :since ORDER BY placed",
    "SELECT max(total) AS sum FROM \"order\" WHERE placed > '2020' UNION ALL SELECT price FROM product",
    "SELECT 1 AS one",
    "INSERT INTO event(kind, at) VALUES (:kind, :at)",
    """
    INSERT INTO stock(warehouse, product, count) VALUES (:warehouse, :product, 1)
    ON CONFLICT(warehouse, product) DO UPDATE SET count = count + 1
    """,
    "-- @allow scans\nSELECT id FROM event WHERE kind = :kind",
  ]
}
