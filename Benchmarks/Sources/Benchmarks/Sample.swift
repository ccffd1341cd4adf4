import Sluice

/// SQL that creates the tables of the workloads, with which each side fills its own database.
enum Sample {
  /// The SQL for an empty table with a column of each kind.
  static let table =
    "CREATE TABLE sample(id INTEGER PRIMARY KEY, value REAL NOT NULL, label TEXT NOT NULL)"

  /// Returns the SQL for this table with `count` rows, whose labels are all different and unordered.
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

  /// Returns the SQL for a table with 40 columns.
  ///
  /// The columns form ten groups of an integer, a real, a text, and a value that is NULL in every other row.
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

  /// The number of bytes in a label.
  enum Label: Int {
    case short = 12
    case long = 44
  }

  /// Returns the SQL for a table with pairs of texts of 12 and 30 bytes.
  ///
  /// The texts of a pair have 0 to 12 leading bytes in common.
  static func pairs(_ count: Int) -> String {
    """
    CREATE TABLE pair(first TEXT NOT NULL, second TEXT NOT NULL);
    WITH RECURSIVE
      number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count)),
      start(n, text) AS (SELECT n, printf('%08x%04d', n * 2654435761 % 4294967296, n % 10000) FROM number)
    INSERT INTO pair SELECT text, printf('%-30s', substr(text, 1, n % 13)) FROM start;
    """
  }

  /// Returns the SQL for a table with blobs of 4 KiB.
  static func photos(_ count: Int) -> String {
    """
    CREATE TABLE photo(pixels BLOB NOT NULL);
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number LIMIT \(count))
    INSERT INTO photo SELECT CAST(printf('%04096d', n) AS BLOB) FROM number;
    """
  }

  /// Returns the SQL for a table whose rows contain a JSON array of eight integers.
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

  /// Returns the SQL for two tables: events with five columns, and a text with the values of `count` events.
  ///
  /// The values in the text are separated by commas.
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

  /// Returns the SQL for a table with times and UUIDs, both as text.
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

  /// Returns the SQL for a table in which each row fills a page of 4 KiB.
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
  /// Opens an in-memory database with the mutex mode of the C side, and fills it with `sql`.
  convenience init(sql: String) throws {
    var configuration = Configuration()
    configuration.threadingMode = .multiThread
    try self.init(configuration: configuration)
    try execute(sql: sql)
  }
}
