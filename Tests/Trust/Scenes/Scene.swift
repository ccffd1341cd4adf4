import Sluice

/// A part of what Sluice can do, which is done while something fails.
struct Scene {
  let name: String
  var needs: [SQLiteCapability] = []
  /// Whether another thread may let go of something after the end.
  var endsLater = false
  /// Throws ``Wrong`` for a wrong result, and else what Sluice throws.
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
    (values + writing + callbacks + tables + copies + many + above).filter {
      $0.needs.allSatisfy(SQLiteLibrary.has)
    }
  }
}

/// A copy of ``SceneDatabase/schema`` that is there for one run of a scene.
struct SceneDatabase {
  let path: String
  let configuration: Configuration

  /// What each scene begins with.
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

  /// What is wrong with the database, or nil.
  static func problem(in connection: Connection) throws -> String? {
    let problems = try connection.integrityProblems()
    guard problems.isEmpty else { return problems.joined(separator: "; ") }
    let count = try connection.first(.column(.int), sql: "SELECT count(*) FROM pair") ?? -1
    return count % 2 == 0 ? nil : "half of a transaction is there: \(count) rows"
  }

  /// Whether no half of a transaction is there, as long as something may fail: a check of the whole file would take a page
  /// that cannot be read for one that is damaged.
  static func isWhole(_ connection: Connection) throws -> Bool {
    try connection.first(.column(.int), sql: "SELECT count(*) % 2 FROM pair") == 0
  }

  /// Lends a connection, which has to live on when something has failed, or to say that it does not.
  func use(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: path, configuration: configuration)
    do { try body(connection) } catch {
      do {
        let one = try connection.first(.column(.int), sql: "SELECT 1")
        try require(one == 1, "SELECT 1 is \(one as Any) after \(error)")
        // What could not be rolled back before is rolled back first, or nothing is done.
        let state = try connection.transactionState()
        try Accepted.openTransaction(state, after: error)
        try require(state == .none, "a transaction is open, \(state), after \(error)")
      } catch is SQLiteError {}
      throw error
    }
    try connection.close()
  }

  /// Writes a pair of rows, or none.
  func addPair(_ connection: Connection) throws {
    try connection.transaction { connection, _ in try addPairByHalf(connection) }
  }

  /// The mistake of the canary: the two are not one transaction.
  func addPairByHalf(_ connection: Connection) throws {
    try connection.execute("INSERT INTO pair(text) VALUES (\(String(repeating: "x", count: 3000)))")
    try connection.execute("INSERT INTO pair(text) VALUES (\(String(repeating: "y", count: 3000)))")
  }
}
