import Sluice
import SluiceTesting

/// Compares programs of nested transactions and savepoints in a file with a model of the content.
///
/// Another connection sees only the committed content.
struct ScopeFuzzer: Fuzzer {
  static let name = "transactions against a model"
  static let shortCount = 500
  private let memory = MemoryFileSystem()
  private let files: RegisteredFileSystem
  private let isCanary: Bool

  init(isCanary: Bool) throws {
    files = try RegisteredFileSystem(memory)
    self.isCanary = isCanary
  }

  func round(_ random: inout SeededGenerator) throws {
    memory.removeAll()
    let program = try ScopeProgram(files, random, isCanary: isCanary)
    for _ in 0...random.below(5) { try program.act(0) }
    try program.finish()
  }
}

/// A program, with the expected content of its file.
private final class ScopeProgram {
  private struct Content: Equatable {
    var items: [Int: Int] = [:]
    /// Keys of items, each of which must exist when a transaction commits.
    var references: [Int] = []
    var hasOrphans: Bool { references.contains { items[$0] == nil } }
  }

  private struct Thrown: Error {}

  private let files: RegisteredFileSystem
  private let isCanary: Bool
  private var random: SeededGenerator
  private var connection: Connection
  private let reader: Connection
  private var content = Content()
  /// The content at the beginning of the outermost scope, which other connections see.
  private var committed = Content()
  /// Whether SQLite has rolled back automatically.
  ///
  /// Nothing runs until the outermost scope has ended.
  private var isDead = false

  init(_ files: RegisteredFileSystem, _ random: SeededGenerator, isCanary: Bool) throws {
    self.files = files
    self.random = random
    self.isCanary = isCanary
    connection = try Self.open(files)
    let mode: Configuration.JournalMode = self.random.isOne(in: 2) ? .wal : .delete
    try connection.execute(
      sql: """
        PRAGMA journal_mode = \(mode.rawValue);
        CREATE TABLE item(id INTEGER PRIMARY KEY, value INTEGER CHECK (value < 90));
        CREATE TABLE reference(item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED)
        """)
    reader = try Self.open(files)
  }

  private static func open(_ files: RegisteredFileSystem) throws -> Connection {
    // No other connection exists that could release a lock.
    var configuration = Configuration()
    configuration.busyTimeout = .zero
    let connection = try files.connection("scopes.db", configuration: configuration)
    try connection.addFunction("refuse_odd", options: .innocuous) { (value: Int) in
      guard value % 2 == 0 else { throw SQLiteError(.error, "\(value) is odd") }
      return value
    }
    return connection
  }

  func act(_ depth: Int) throws {
    switch random.below(12) {
    case 0...3: try put()
    case 4:
      let id = key()
      try change("DELETE FROM item WHERE id = \(id)") { $0.items[id] = nil }
    case 5: try refer()
    case 6: try failHalfway()
    case 7: try standOnRow()
    case 8 where depth > 0: try die()
    case 9 where depth == 0: try reopen()
    default: if depth < 5 { try scope(depth) }
    }
    try compare(depth)
  }

  func finish() throws {
    try compare(0)
    try connection.close()
    try reader.close()
    let problems = try files.connection("scopes.db").integrityProblems()
    try require(problems.isEmpty, "\(problems)")
  }

  private func key() -> Int { random.below(12) }

  /// Runs a statement, and applies `model` to the expected content unless the statement should fail.
  private func change(_ sql: String, fails: Bool = false, _ model: (inout Content) -> Void) throws {
    var next = content
    model(&next)
    // Outside a scope each statement commits, so no reference may be missing.
    let isRefused = isDead || fails || connection.isInAutocommit && next.hasOrphans
    do {
      try connection.execute(sql: sql)
      try require(!isRefused, "\(sql) did not fail")
      content = next
    } catch let error as SQLiteError { try require(isRefused, "\(sql): \(error)") }
  }

  private func put() throws {
    let (id, value) = (key(), random.below(100))
    try change("INSERT OR REPLACE INTO item VALUES (\(id), \(value))", fails: value >= 90) {
      $0.items[id] = value
    }
  }

  private func refer() throws {
    let item = key()
    if random.isOne(in: 3) {
      try change("DELETE FROM reference WHERE item = \(item)") {
        $0.references.removeAll { $0 == item }
      }
    } else {
      try change("INSERT INTO reference VALUES (\(item))") { $0.references.append(item) }
    }
  }

  /// Runs a statement that fails, which undoes only its own changes.
  private func failHalfway() throws {
    let isOdd = content.items.values.contains { $0 % 2 == 1 }
    let hasItems = !content.items.isEmpty
    switch random.below(3) {
    case 0:
      try change("UPDATE item SET value = refuse_odd(value) - 90", fails: isOdd) { content in
        content.items = content.items.mapValues { $0 - 90 }
      }
    case 1:
      try change(
        "INSERT INTO item SELECT id + 100, value FROM item UNION ALL SELECT id, 0 FROM item",
        fails: hasItems
      ) { _ in }
    default:
      try change(
        "UPDATE item SET value = value + 50", fails: content.items.values.contains { $0 >= 40 }
      ) {
        content in content.items = content.items.mapValues { $0 + 50 }
      }
    }
  }

  /// Leaves a statement on a row, which must not block later statements.
  private func standOnRow() throws {
    guard !isDead else { return }
    let statement = try connection.prepare(sql: "SELECT id FROM item")
    let isThere = try statement.step() != nil
    try require(isThere != content.items.isEmpty, "there is a row: \(isThere)")
    if random.isOne(in: 2) { try put() }
  }

  private func die() throws {
    guard !isDead, let id = content.items.keys.min() else { return }
    do {
      try connection.execute(sql: "INSERT OR ROLLBACK INTO item VALUES (\(id), 0)")
      throw Wrong("a key was there twice")
    } catch is SQLiteError {}
    isDead = true
    content = committed
  }

  private func reopen() throws {
    if random.isOne(in: 2) { try connection.close() }
    connection = try Self.open(files)
  }

  private func scope(_ depth: Int) throws {
    let before = content
    let wasDead = isDead
    let ending = random.below(3)
    func body(_ connection: Connection, _ command: inout TransactionCommand) throws {
      try require(!wasDead, "a body ran without a transaction")
      for _ in 0...random.below(4) { try act(depth + 1) }
      if ending == 1 { command = .rollback }
      if ending == 2 { throw Thrown() }
    }
    var failure: (any Error)?
    do {
      // The canary's mistake: a nested scope has no effect.
      if isCanary, depth > 0 {
        var command = TransactionCommand.commit
        try body(connection, &command)
      } else if random.isOne(in: 2) {
        try connection.transaction(random.one(of: [.deferred, .immediate, .exclusive]), body)
      } else {
        try connection.savepoint(random.one(of: [nil, "s", "it's", "a\"b", ""]), body)
      }
    } catch let error as Wrong { throw error } catch { failure = error }
    let cannotCommit = depth == 0 && ending == 0 && content.hasOrphans
    try require(
      (failure != nil) == (isDead || ending == 2 || cannotCommit),
      "a scope ended with \(failure as Any)")
    if ending != 0 || cannotCommit, !isDead { content = before }
    if depth == 0 { isDead = false }
  }

  private func compare(_ depth: Int) throws {
    try require(
      connection.isInAutocommit == (depth == 0 || isDead), "a transaction is open, or not")
    if depth == 0 { committed = content }
    if !isDead { try compare(connection, content, "the writer") }
    // Without a WAL, no connection can read while another has an exclusive lock.
    do { try compare(reader, committed, "the reader") } catch let error as SQLiteError
      where error.code.primary == .busy && depth > 0
    {}
  }

  private func compare(_ connection: Connection, _ content: Content, _ name: String) throws {
    let items = try connection.query(.columns(.int, .int), sql: "SELECT id, value FROM item")
    let references = try connection.query(.column(.int), sql: "SELECT item FROM reference")
    let found = Content(
      items: Dictionary(items.map { ($0.0, $0.1) }) { $1 }, references: references)
    try require(found == content, "\(name) sees \(found), and not \(content)")
  }
}
