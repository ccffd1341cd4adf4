import SluiceCore
import TestSupport
import Testing

@Suite(.tags(.virtualTables), .inEachThreadingMode) struct `R*Tree queries in Swift` {
  /// Returns a connection with an R*Tree of grid points, or nil if SQLite lacks R*Trees.
  private func connection() throws -> Connection? {
    let connection = try Connection.inTestedMode()
    guard SQLiteLibrary.has(.rtree) else {
      let error = failure { try connection.addRTreeQuery("circle") { _ in { _ in .inside } } }
      #expect(error?.code == .notFound)
      return nil
    }
    try connection.execute(
      sql: """
        CREATE VIRTUAL TABLE place USING rtree(id, x0, x1, y0, y1);
        WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1023)
          INSERT INTO place SELECT i, i % 32, i % 32, i / 32, i / 32 FROM n
        """)
    return connection
  }

  private func addCircle(to connection: Connection, _ note: @escaping (Int64?) -> Void) throws {
    try connection.addRTreeQuery("circle") { arguments in
      let center = try [arguments.get(Double.self, at: 0), arguments.get(Double.self, at: 1)]
      let radius = try arguments.get(Double.self, at: 2)
      return { node in
        note(node.rowid)
        var square = 0.0
        for dimension in 0..<node.dimensions {
          let (low, high) = try (node.lower(dimension), node.upper(dimension))
          let nearest = max(low, min(center[dimension], high))
          square += (nearest - center[dimension]) * (nearest - center[dimension])
        }
        return square <= radius * radius ? .partlyInside.scored(square) : .outside
      }
    }
  }

  @Test func `an R*Tree query finds the matching points and visits fewer than half the rows`()
    throws
  {
    guard let connection = try connection() else { return }
    var looks = 0
    try addCircle(to: connection) { if $0 != nil { looks += 1 } }
    let found = try connection.integers(
      "SELECT id FROM place WHERE id MATCH circle(10, 20, 3) ORDER BY id")
    let wanted = (0..<1024).filter { id in
      let (x, y) = (id % 32 - 10, id / 32 - 20)
      return x * x + y * y <= 9
    }
    #expect(found == wanted)
    #expect(looks < 512)
  }

  @Test func `an R*Tree query returns rows in ascending order of their score`() throws {
    guard let connection = try connection() else { return }
    try addCircle(to: connection) { _ in }
    let found = try connection.integers("SELECT id FROM place WHERE id MATCH circle(10, 20, 2)")
    let squares = found.map { id in
      let (x, y) = (id % 32 - 10, id / 32 - 20)
      return x * x + y * y
    }
    #expect(squares == squares.sorted())
    #expect(found.first == 650)
  }

  @Test func `an R*Tree query receives the level, the dimensions and the parent of each node`()
    throws
  {
    guard let connection = try connection() else { return }
    var levels: Set<Int> = []
    try connection.addRTreeQuery("seen") { _ in
      { node in
        levels.insert(node.level)
        #expect(node.dimensions == 2)
        #expect((node.rowid != nil) == (node.level == 0))
        #expect(node.level <= node.height)
        if node.level < node.height - 1 {
          #expect(node.parentScore == Double(node.level + 1))
          #expect(node.parentVisibility == .partlyInside)
        }
        #expect(failure { try node.lower(2) }?.code == .range)
        #expect(failure { try node.upper(-1) }?.code == .range)
        return RTreeMatch.partlyInside.scored(Double(node.level))
      }
    }
    #expect(try connection.integers("SELECT count(*) FROM place WHERE id MATCH seen()") == [1024])
    #expect(levels.contains(0) && levels.count > 1)
    // A query is not called for the contents of a box that is entirely inside.
    try connection.addRTreeQuery("every") { _ in { _ in .inside } }
    #expect(try connection.integers("SELECT count(*) FROM place WHERE id MATCH every()") == [1024])
    try connection.addRTreeQuery("none") { _ in { _ in .outside } }
    #expect(try connection.integers("SELECT count(*) FROM place WHERE id MATCH none()") == [0])
  }

  @Test func `an error thrown by an R*Tree query is rethrown with its message and code`() throws {
    guard let connection = try connection() else { return }
    try addCircle(to: connection) { _ in }
    for (call, code) in [("circle('x', 1, 1)", ResultCode.mismatch), ("circle(1)", .range)] {
      let error = failure { try connection.integers("SELECT id FROM place WHERE id MATCH \(call)") }
      #expect(error?.code == code)
    }
    for code in [ResultCode.ok, .done, .ioErrorRead] {
      try connection.addRTreeQuery("wet") { _ in { _ in throw SQLiteError(code, "Wet") } }
      let error = failure { try connection.integers("SELECT id FROM place WHERE id MATCH wet()") }
      #expect(error?.message == "Wet")
      #expect(error?.code == code)
    }
  }

  @Test func `an R*Tree query cannot close its connection, remove itself or change its table`()
    throws
  {
    guard let connection = try connection() else { return }
    var codes: [ResultCode?] = []
    try connection.addRTreeQuery("own") { [unowned connection] _ in
      { _ in
        if codes.isEmpty {
          codes.append(failure { try connection.close() }?.code)
          codes.append(failure { try connection.removeRTreeQuery("own") }?.code)
          codes.append(failure { try connection.execute(sql: "DROP TABLE place") }?.code)
          codes.append(failure { try connection.execute(sql: "DELETE FROM place") }?.code.primary)
          codes.append(failure { try connection.integers("SELECT count(*) FROM place") }?.code)
        }
        return .inside
      }
    }
    #expect(try connection.integers("SELECT count(*) FROM place WHERE id MATCH own()") == [1024])
    #expect(codes == [.misuse, .busy, .locked, .locked, nil])
  }

  @Test
  func `an R*Tree query is released when it is replaced or removed, or its connection closes`()
    throws
  {
    guard let connection = try connection() else { return }
    let counter = ObjectCounter()
    func add() throws {
      let held = counter.hold()
      try connection.addRTreeQuery("held") { _ in
        let inner = counter.hold()
        return { _ in withExtendedLifetime((held, inner)) { .inside } }
      }
    }
    try add()
    try add()
    #expect(counter.living == 1)
    #expect(try connection.integers("SELECT count(*) FROM place WHERE id MATCH held()") == [1024])
    #expect(counter.living == 1)
    try connection.removeRTreeQuery("held")
    #expect(counter.living == 0)
    #expect(failure { try connection.column("SELECT id FROM place WHERE id MATCH held()") } != nil)
    try add()
    #expect(
      failure { try connection.addRTreeQuery("a\0") { _ in { _ in .inside } } }?.code == .misuse)
    try connection.close()
    #expect(counter.living == 0)
  }
}
