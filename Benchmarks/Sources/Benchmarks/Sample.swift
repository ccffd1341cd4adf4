import Sluice

/// What the workloads read; both sides fill their tables by the same SQL.
enum Sample {
  /// An empty table with a column of each kind.
  static let table =
    "CREATE TABLE sample(id INTEGER PRIMARY KEY, value REAL NOT NULL, label TEXT NOT NULL)"

  /// The table with so many rows; labels are all different, and in no order.
  static func rows(_ count: Int, label: Label = .short) -> String {
    """
    \(table);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO sample
    SELECT
      n, n * 0.5, printf('%08x%0\(label.rawValue - 8)d', n * 2654435761 % 4294967296, n % 10000)
    FROM number;
    """
  }

  /// How many bytes a label has.
  enum Label: Int {
    case short = 12
    case long = 44
  }

  /// A table of blobs of 4 KiB.
  static func photos(_ count: Int) -> String {
    """
    CREATE TABLE photo(pixels BLOB NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO photo SELECT CAST(printf('%04096d', n) AS BLOB) FROM number;
    """
  }

  /// A table of rows that fill a page of 4 KiB each.
  static func pages(_ count: Int) -> String {
    """
    PRAGMA page_size = 4096;
    CREATE TABLE page(content BLOB NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO page SELECT randomblob(4000) FROM number;
    """
  }
}

extension Connection {
  /// A database in memory, filled by `sql`, in the mutex mode of the C side.
  convenience init(sql: String) throws {
    var configuration = Configuration()
    configuration.threadingMode = .multiThread
    try self.init(configuration: configuration)
    try execute(sql: sql)
  }
}
