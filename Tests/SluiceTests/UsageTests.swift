import Dispatch
import Foundation
import Sluice
import Synchronization
import TestSupport
import Testing

/// The ordinary calls as a user writes them, in one place.
///
/// A change here affects every user.
@Suite struct UsageTests {
  @Test func `a connection binds values, reads rows and commits a transaction`() throws {
    let id = UUID()
    let connection = try Connection()
    try connection.execute(sql: "CREATE TABLE t1(a,b);")
    try connection.execute(sql: "INSERT INTO t1(a,b) VALUES (?,?);", parameters: 33, "lulu")
    try connection.execute(
      sql: "INSERT INTO t1(a,b) VALUES (:a,:b);", parameters: [":a": 100, ":b": 404])
    var rows: [(a: Int, b: String?)] = []
    try connection.execute(sql: "SELECT a,b FROM t1;") { row in
      let a = try row.get(.int, at: 0)
      let b = try row.optional(.string, named: "b")
      rows.append((a, b))
    }
    #expect(rows.map(\.a) == [33, 100])
    #expect(rows.map(\.b) == ["lulu", "404"])

    let statement = try connection.prepare(sql: "INSERT INTO t1(a,b) VALUES (?,?);")
    try statement.bind(.int(1), .uuidString(id)).execute()
    let (command, rowid) = try connection.transaction { connection, command -> Int64 in
      try statement.bind(.int(2), .null).execute()
      return connection.lastInsertRowid
    }
    #expect(command == .commit)
    #expect(rowid == 4)
  }

  @Test func `SQL calls functions, aggregates and collations in Swift`() throws {
    final class Sum: SQLAggregateFunction {
      private var sum: Int64 = 0
      func step(_ values: borrowing SQLFunctionArguments) throws { sum += try values.get(at: 0) }
      func final() throws -> DatabaseValue { .integer(sum) }
    }
    let connection = try Connection()
    try connection.addFunction("rot13", arity: 1) { values in
      guard case .text(let text) = try values[0] else { return try values.first ?? .null }
      return .text(String(text.unicodeScalars.map(rotated).map(Character.init)))
    }
    try connection.addFunction("hypot") { (x: Double, y: Double) in (x * x + y * y).squareRoot() }
    try connection.addAggregateFunction("sum2", arity: 1) { Sum() }
    try connection.addCollation("localized_compare") { $0.localizedCompare($1) }
    let row = try connection.first(
      .values,
      sql: """
        SELECT rot13('Uryyb'), hypot(3, 4), (SELECT sum2(column1) FROM (VALUES (1), (2), (3))),
          'a' < 'b' COLLATE localized_compare
        """)
    #expect(row?.values == ["Hello", 5.0, 6, 1])
  }

  private func rotated(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "a"..."m", "A"..."M": Unicode.Scalar(scalar.value + 13) ?? scalar
    case "n"..."z", "N"..."Z": Unicode.Scalar(scalar.value - 13) ?? scalar
    default: scalar
    }
  }

  @Test func `a queue accepts synchronous, asynchronous and awaited calls`() async throws {
    let folder = try TestFolder()

    let memory = try ConnectionQueue(label: "scratch")
    try await memory.perform { connection in try connection.execute(sql: "SELECT 1") }

    let url = URL(filePath: folder.file("an app?.db"))
    let queue = try ConnectionQueue(url: url, label: "app")
    try synchronously {
      try queue.sync { connection in
        try connection.execute(sql: "PRAGMA journal_mode = wal; CREATE TABLE t(x)")
      }
    }
    let group = DispatchGroup()
    let failures = Failures()
    queue.async(group: group) { connection in
      try connection.execute(sql: "INSERT INTO t VALUES (1)")
    } completion: { result in
      failures.note(result)
    }
    queue.asyncTransaction(group: group) { connection, command in
      try connection.execute(sql: "INSERT INTO t VALUES (2)")
    } completion: { result in
      failures.note(result)
    }
    let n = try await queue.perform { connection in
      try connection.first(.column(.int), sql: "SELECT count(*) FROM t")
    }
    #expect(n == 2)
    try await queue.transaction { connection, command in
      try connection.execute(sql: "INSERT INTO t VALUES (3)")
      command = .rollback
    }
    synchronously { group.wait() }
    #expect(failures.count == 0)

    let readQueue = try ConnectionReadQueue(writeQueue: queue, label: "reader")
    let seen = try await readQueue.readTransaction { connection in
      try connection.query(.column(.int), sql: "SELECT x FROM t ORDER BY x")
    }
    #expect(seen == [1, 2])
    #expect(FileManager.default.fileExists(atPath: url.path(percentEncoded: false)))
  }

  /// Runs code that blocks, as on a thread without tasks.
  private func synchronously(_ body: () throws -> Void) rethrows { try body() }
}

/// Counts the failures that completions report.
private final class Failures: Sendable {
  private let failures = Atomic(0)

  var count: Int { failures.load(ordering: .acquiring) }

  func note<T>(_ result: Result<T, any Error>) {
    guard case .failure = result else { return }
    failures.add(1, ordering: .acquiringAndReleasing)
  }
}
