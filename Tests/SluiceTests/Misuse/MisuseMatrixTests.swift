import Foundation
import Sluice
import SluiceCluster
import TestSupport
import Testing

/// Each public member, in each situation, returns a value or throws the error that the matrix names.
@Suite(.tags(.reliability), .timeLimit(.minutes(10))) struct `the misuse matrix` {
  struct Cell<Subject: Sendable>: Sendable, CustomTestStringConvertible {
    let entry: Subject
    let situation: Situation
    let testDescription: String
  }

  private static func cells<Subject>(
    _ entries: [Entry<Subject>], _ situations: [Situation]
  ) -> [Cell<Entry<Subject>>] where Subject: ~Copyable {
    entries.flatMap { entry in
      situations.map { Cell(entry: entry, situation: $0, testDescription: "\(entry.symbol) \($0)") }
    }
  }

  private static func cells<Queue>(
    _ entries: [QueueEntry<Queue>],
    _ situations: [Situation] = [.fresh, .nested, .inFunction, .inCollation, .closed]
  ) -> [Cell<QueueEntry<Queue>>] {
    entries.flatMap { entry in
      situations.map {
        Cell(entry: entry, situation: $0, testDescription: "\(entry.symbol) \($0)")
      }
    }
  }

  private static let situations: [Situation] = [
    .fresh, .atRow, .whileLent, .inFunction, .inCollation, .closed, .kept,
  ]

  @Test(
    arguments: cells(MisuseMatrix.ofConnections, situations))
  func `a member of a connection throws exactly the errors of the matrix`(
    _ cell: Cell<Entry<Connection>>
  ) throws {
    try expect(cell) { stage in
      try stage.refusal(cell.situation) { try cell.entry.use(stage.connection) }
    }
  }

  @Test(arguments: cells(MisuseMatrix.statement + MisuseMatrix.coding, situations))
  func `a member of a statement throws exactly the errors of the matrix`(
    _ cell: Cell<Entry<Statement>>
  ) throws {
    try expect(cell) { stage in
      try stage.refusal(cell.situation) { try cell.entry.use(stage.statement) }
    }
  }

  @Test(arguments: cells(MisuseMatrix.row, situations + [.stale]))
  func `a member of a row throws exactly the errors of the matrix`(_ cell: Cell<Entry<Row>>) throws
  {
    try expect(cell) { stage in try stage.refusal(cell.situation, cell.entry) }
  }

  @Test(arguments: cells(MisuseMatrix.arguments, [.inFunction, .inAggregate]))
  func `a member of function arguments throws exactly the errors of the matrix`(
    _ cell: Cell<Entry<SQLFunctionArguments>>
  ) throws {
    try expect(cell) { stage in try stage.refusal(cell.situation, cell.entry) }
  }

  /// Checks a cell with a connection of each threading mode.
  private func expect<Subject: ~Copyable>(
    _ cell: Cell<Entry<Subject>>, _ refusal: (MisuseFixture) throws -> SQLiteError?
  ) throws {
    for mode in MisuseFixture.modes {
      let stage = try MisuseFixture(mode)
      let error = try refusal(stage)
      #expect(error?.code == cell.entry.refusals[cell.situation], "\(mode)")
      try stage.expectUsable()
    }
  }

  @Test(arguments: cells(MisuseMatrix.queue + MisuseMatrix.reader))
  func `a member of a queue throws exactly the errors of the matrix`(
    _ cell: Cell<QueueEntry<ConnectionQueue>>
  ) async throws {
    let folder = try TestFolder()
    var configuration = Configuration()
    configuration.journalMode = .wal
    try await expect(
      ConnectionQueue(url: folder.database(), configuration: configuration), cell)
  }

  @Test(arguments: cells(MisuseMatrix.readQueue))
  func `a member of a read queue throws exactly the errors of the matrix`(
    _ cell: Cell<QueueEntry<ConnectionReadQueue>>
  ) async throws {
    let folder = try TestFolder()
    try await expect(ConnectionReadQueue(url: folder.database()), cell)
  }

  @Test(arguments: cells(MisuseMatrix.pool))
  func `a member of a pool throws exactly the errors of the matrix`(
    _ cell: Cell<QueueEntry<ConnectionPool>>
  ) async throws {
    let folder = try TestFolder()
    try await expect(ConnectionPool(path: folder.database().path), cell)
  }

  @Test(arguments: cells(MisuseMatrix.snapshot))
  func `a member of a snapshot throws exactly the errors of the matrix`(
    _ cell: Cell<QueueEntry<DatabaseSnapshot>>
  ) async throws {
    let folder = try TestFolder()
    let pool = try ConnectionPool(path: folder.database().path)
    try await expect(pool.snapshot(readers: 2), cell)
  }

  // A connection of a cluster has no functions and collations.
  @Test(arguments: cells(MisuseMatrix.cluster, [.fresh, .nested, .closed]))
  func `a member of a cluster throws exactly the errors of the matrix`(
    _ cell: Cell<QueueEntry<Cluster>>
  ) async throws {
    var options = Cluster.Options()
    options.failoverTimeout = .zero
    let cluster = try Cluster(nodes: ["127.0.0.1:1"], database: "main", options: options)
    let error = try await cluster.refusal(cell.situation, cell.entry)
    #expect(error?.code == cell.entry.refusal(in: cell.situation))
  }

  private func expect<Queue: LendingQueue>(
    _ queue: Queue, _ cell: Cell<QueueEntry<Queue>>
  ) async throws {
    let error = try await queue.refusal(cell.situation, cell.entry)
    #expect(error?.code == cell.entry.refusal(in: cell.situation))
    let hasClosed = cell.situation == .closed || (cell.entry.closes && error == nil)
    try queue.expectUsable(isOpen: !hasClosed)
  }

  @Test
  func `each public member has an entry for each overload, and each entry has a public member`()
    throws
  {
    let members = try PublicSymbols.members().filter { !$0.isOfValue }
    // Without any member, the first loop would check nothing.
    #expect(members.count > 100)
    let entries = Dictionary(grouping: MisuseMatrix.symbols) { $0 }
    let overloads = Dictionary(grouping: members, by: \.name)
    for (name, members) in overloads.sorted(by: { $0.key < $1.key }) {
      let declarations = members.map(\.declaration).joined(separator: "\n")
      #expect(
        entries[name]?.count == members.count,
        "The matrix needs \(members.count) entries of \(name):\n\(declarations)")
    }
    for name in entries.keys.sorted() {
      #expect(overloads[name] != nil, "The matrix has an entry of \(name), which is not there")
    }
  }

  @Test func `each type that the matrix exempts as a value has a public member`() throws {
    let names = try PublicSymbols.members().map(\.name)
    for type in MisuseMatrix.values.keys.sorted() {
      let isThere = names.contains { $0.hasPrefix(type + ".") }
      #expect(isThere, "\(type) has no public member")
    }
  }
}

extension TestFolder {
  /// Creates a database with the tables that the entries use.
  fileprivate func database() throws -> URL {
    let file = url.appending(path: "a.db")
    let connection = try Connection(url: file)
    try connection.execute(
      sql: """
        CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3); CREATE TABLE u(a);
        CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT NOT NULL)
        """)
    try connection.close()
    return file
  }
}
