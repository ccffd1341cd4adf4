import Sluice

/// A piece of code that uses some features of Sluice while calls or allocations fail.
struct Scene {
  let name: String
  var needs: [SQLiteCapability] = []
  /// Whether another thread may release memory after the end of the scene.
  var endsLater = false
  /// Throws ``Wrong`` for a wrong result, and otherwise any error of Sluice.
  let body: (SceneDatabase) throws -> Void

  init(
    _ name: String, needs: [SQLiteCapability] = [], endsLater: Bool = false,
    _ body: @escaping (SceneDatabase) throws -> Void
  ) {
    self.name = name
    self.needs = needs
    self.endsLater = endsLater
    self.body = body
  }

  static var all: [Scene] {
    (values + writing + callbacks + tables + copies + many + above + data).filter {
      $0.needs.allSatisfy(SQLiteLibrary.has)
    }
  }
}

/// A copy of ``SceneDatabase/schema`` for one run of a scene.
struct SceneDatabase {
  let path: String
  let configuration: Configuration

  /// The initial content of each scene.
  ///
  /// Rows of `pair` are written two at a time.
  static let schema = """
    CREATE TABLE pair(id INTEGER PRIMARY KEY, text TEXT);
    INSERT INTO pair VALUES (1, 'one'), (2, 'two');
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, picture BLOB);
    CREATE INDEX person_by_name ON person(name);
    INSERT INTO person VALUES (1, 'Ada', zeroblob(9000)), (2, 'Alan', NULL);
    CREATE VIEW names AS SELECT name FROM person;
    """

  static func add(to connection: Connection) throws {
    try connection.execute(sql: schema)
    if SQLiteLibrary.has(.fts5) {
      try connection.execute(
        sql:
          "CREATE VIRTUAL TABLE note USING fts5(title, body); INSERT INTO note VALUES ('a', 'the fox')"
      )
    }
    if SQLiteLibrary.has(.rtree) {
      try connection.execute(
        sql:
          "CREATE VIRTUAL TABLE place USING rtree(id, x0, x1); INSERT INTO place VALUES (1, 2, 3)")
    }
  }

  /// Returns a description of the problem in the database, or nil if there is none.
  static func problem(in connection: Connection) throws -> String? {
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else { return problems.joined(separator: "; ") }
    let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM pair") ?? -1
    return count % 2 == 0 ? nil : "half of a transaction is there: \(count) rows"
  }

  /// Returns whether the database contains only whole transactions.
  ///
  /// While calls may fail, a check of the whole file would report a page that cannot be read as damaged.
  static func isWhole(_ connection: Connection) throws -> Bool {
    try connection.first(.column(.int), sql: "SELECT count(*) % 2 FROM pair") == 0
  }

  /// Passes a connection to `body`.
  ///
  /// After a failure, the connection must be usable or throw.
  func use(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: path, configuration: configuration)
    do { try body(connection) } catch {
      do {
        let one = try connection.first(.column(.int), sql: "SELECT 1")
        try require(one == 1, "SELECT 1 is \(one as Any) after \(error)")
        // The query first completes a pending rollback, or throws.
        let state = try connection.transactionState()
        try Accepted.openTransaction(state, after: error)
        try require(state == .none, "a transaction is open, \(state), after \(error)")
      } catch is SQLiteError {}
      throw error
    }
    try connection.close()
  }

  /// Writes a pair of rows in a transaction.
  func addPair(_ connection: Connection) throws {
    try connection.transaction { connection, _ in try addPairByHalf(connection) }
  }

  /// Writes a pair of rows without a transaction, which is the canary's mistake.
  func addPairByHalf(_ connection: Connection) throws {
    try connection.execute("INSERT INTO pair(text) VALUES (\(String(repeating: "x", count: 3000)))")
    try connection.execute("INSERT INTO pair(text) VALUES (\(String(repeating: "y", count: 3000)))")
  }
}
