import Sluice

/// The tables that the workloads read; both sides fill theirs by the same SQL.
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

  /// A table of 40 columns: ten groups of an integer, a real, a text, and a value that is NULL in every other row.
  static func wideRows(_ count: Int) -> String {
    let values = (0..<40).map { column in
      switch column % 8 {
      case 0, 4: "n + \(column)"
      case 1, 5: "n * 0.5 + \(column)"
      case 2, 6: "printf('%08x', n * 2654435761 % 4294967296)"
      case 3: "iif(n % 2, n, NULL)"
      default: "iif(n % 2, NULL, 'text ' || n % 10000)"
      }
    }
    return """
      CREATE TABLE wide(\((0..<40).map { "c\($0)" }.joined(separator: ", ")));
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
      INSERT INTO wide SELECT \(values.joined(separator: ", ")) FROM number;
      """
  }

  /// How many bytes a label has.
  enum Label: Int {
    case short = 12
    case long = 44
  }

  /// A table of pairs of texts of 12 and 30 bytes, which have 0 to 12 bytes in common at their start.
  static func pairs(_ count: Int) -> String {
    """
    CREATE TABLE pair(first TEXT NOT NULL, second TEXT NOT NULL);
    WITH RECURSIVE
      number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count)),
      start(n, text) AS (SELECT n, printf('%08x%04d', n * 2654435761 % 4294967296, n % 10000) FROM number)
    INSERT INTO pair SELECT text, printf('%-30s', substr(text, 1, n % 13)) FROM start;
    """
  }

  /// A table of blobs of 4 KiB.
  static func photos(_ count: Int) -> String {
    """
    CREATE TABLE photo(pixels BLOB NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO photo SELECT CAST(printf('%04096d', n) AS BLOB) FROM number;
    """
  }

  /// A table of rows with a JSON array of eight integers.
  static func parcels(_ count: Int) -> String {
    """
    CREATE TABLE parcel(id INTEGER PRIMARY KEY, label TEXT NOT NULL, sizes TEXT NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO parcel
    SELECT n, printf('parcel %d', n % 10000),
      json_array(n, n % 10, n % 100, -n, n * 7919 % 100000, n % 7, n % 1000, n * 3)
    FROM number;
    """
  }

  /// Two tables: events of five columns, and text with comma separated values for so many.
  static func feed(_ count: Int) -> String {
    """
    CREATE TABLE event(
      id INTEGER PRIMARY KEY, place TEXT NOT NULL, kind TEXT NOT NULL, value REAL NOT NULL,
      amount INTEGER NOT NULL);
    CREATE TABLE feed(text TEXT NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO feed
    SELECT group_concat(
      printf('%d,place number %d,kind%d,%.2f,%d', n, n % 10000, n % 7, n * 0.25, n % 1000),
      char(10)) || char(10)
    FROM number;
    """
  }

  /// A table of times and UUIDs, both as text.
  static func visits(_ count: Int) -> String {
    """
    CREATE TABLE visit(day TEXT NOT NULL, person TEXT NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO visit
    SELECT
      strftime('%Y-%m-%d %H:%M:%f', 946684800.25 + n * 86399, 'unixepoch'),
      printf('%08X-%04X-4%03X-8%03X-%012X', n * 7919, n % 65536, n % 4096, n % 4095, n * 104729)
    FROM number;
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
